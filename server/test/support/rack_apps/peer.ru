# frozen_string_literal: true

# Responds with the client's address as the application sees it, and logs each path.
run(lambda do |env|
  env["rack.errors"].puts "asked for #{env["PATH_INFO"]}"
  [200, { "content-type" => "text/plain" }, [env.fetch("REMOTE_ADDR", "nobody")]]
end)
