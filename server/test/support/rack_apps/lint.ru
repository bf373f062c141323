# frozen_string_literal: true

# Every kind of response, each checked by Rack::Lint of Rack 3 or 2. An error of Lint becomes status 500.
require "rack"
require "rack/lint"
require "rack/chunked" if Rack.release < "3"

PARTS = Struct.new(:parts) do
  def each(&block) = parts.each(&block)
end
PLAIN = { "content-type" => "text/plain" }.freeze
SECOND = Rack.release < "3"

apps = {
  "/array" => ->(_) { [200, PLAIN.dup, ["array\n"]] },
  "/parts" => ->(_) { [200, PLAIN.dup, PARTS.new(%W[pa rts\n])] },
  "/none" => ->(_) { [204, {}, []] },
  "/many" => ->(_) { [200, PLAIN.merge("set-cookie" => SECOND ? "a=1\nb=2" : %w[a=1 b=2]), ["many\n"]] },
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
    input.close unless SECOND
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
      socket = hijack.call
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nmine\n")
      socket.close
      [200, PLAIN.dup, []]
    rescue IOError => e
      [200, PLAIN.dup, [e.message]]
    end
  },
  "/processes" => ->(env) { [200, PLAIN.dup, ["#{env["rack.multiprocess"]} #{env["rack.multithread"]}\n"]] },
  "/file" => lambda { |_|
    [200, PLAIN.dup, File.open(__FILE__)]
  },
  "/head" => ->(_) { [304, {}, []] },
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
  "/chunked" => lambda { |env|
    next [200, PLAIN.dup, ["chunked\n"]] unless SECOND

    Rack::Chunked.new(->(_) { [200, PLAIN.dup, PARTS.new(%W[chunk ed\n])] }).call(env)
  },
  "/tunnel" => lambda { |_|
    [101, { "upgrade" => "loud" }, lambda { |stream|
      stream.write(stream.read(20).upcase)
      stream.close
    }]
  },
  "/rewind" => lambda { |env|
    input = env["rack.input"]
    first = input.read
    input.rewind
    [200, PLAIN.dup, [first, input.read]]
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
