# frozen_string_literal: true

# Who asks, as the application is told; and each path that was asked for, in the log.
run(lambda do |env|
  env["rack.errors"].puts "asked for #{env["PATH_INFO"]}"
  [200, { "content-type" => "text/plain" }, [env.fetch("REMOTE_ADDR", "nobody")]]
end)
