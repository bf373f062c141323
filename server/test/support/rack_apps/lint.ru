# frozen_string_literal: true

# Every kind of answer, with Rack::Lint around each; what it finds fault with is a 500.
require "rack"
require "rack/lint"

PARTS = Struct.new(:parts) do
  def each(&block) = parts.each(&block)
end
PLAIN = { "content-type" => "text/plain" }.freeze

apps = {
  "/array" => ->(_) { [200, PLAIN.dup, ["array\n"]] },
  "/parts" => ->(_) { [200, PLAIN.dup, PARTS.new(%W[pa rts\n])] },
  "/none" => ->(_) { [204, {}, []] },
  "/many" => ->(_) { [200, PLAIN.merge("set-cookie" => %w[a=1 b=2]), ["many\n"]] },
  "/echo" => ->(env) { [200, PLAIN.dup, [env["rack.input"].read]] },
  "/lines" => lambda { |env|
    lines = []
    env["rack.input"].each { |line| lines << line.reverse }
    [200, PLAIN.dup, [lines.join]]
  },
  "/gets" => ->(env) { [200, PLAIN.dup, [env["rack.input"].gets.to_s]] },
  "/some" => lambda { |env|
    input = env["rack.input"]
    input.read(1, buffer = +"")
    first = input.read(2)
    input.close
    [200, PLAIN.dup, [buffer, first.to_s]]
  },
  "/stream" => lambda { |_|
    [200, PLAIN.dup, lambda { |stream|
      stream.write("stream")
      stream.flush
      stream << "\n"
      stream.close
    }]
  },
  "/echo-stream" => lambda { |_|
    [200, PLAIN.dup, lambda { |stream|
      while (part = stream.read(3))
        stream.write(part)
      end
      stream.close_read
      stream.close_write
    }]
  },
  "/partial-hijack" => lambda { |_|
    [200, PLAIN.merge("rack.hijack" => ->(stream) { stream.write("hijacked\n") && stream.close }), []]
  },
  "/hijack" => lambda { |env|
    hijack = env["rack.hijack"] or next [200, PLAIN.dup, ["not there"]]
    begin
      hijack.call
    rescue IOError => e
      [200, PLAIN.dup, [e.message]]
    end
  },
  "/hints" => lambda { |env|
    env["rack.early_hints"].call("link" => ["</a.css>; rel=preload"])
    env["rack.response_finished"] << ->(*) {}
    [200, PLAIN.dup, ["hints\n"]]
  },
  "/errors" => lambda { |env|
    env["rack.errors"].puts "told"
    env["rack.errors"].flush
    [200, PLAIN.dup, ["errors\n"]]
  },
  "/trailers" => lambda { |env|
    env["spate.trailers"] = { "x-sum" => "1" }
    [200, PLAIN.merge("trailer" => "x-sum"), PARTS.new(["trailers\n"])]
  }
}

run(lambda do |env|
  app = apps[env["PATH_INFO"]] or next [404, PLAIN.dup, ["none\n"]]
  Rack::Lint.new(app).call(env)
end)
