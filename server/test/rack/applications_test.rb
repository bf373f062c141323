# frozen_string_literal: true

require "test_helper"
require "json"
require "objspace"
require "support/assault/attack_peer"
require "support/rack_server"

module Spate
  module Server
    # Rack applications over HTTP/1.1 and HTTP/2: their environment, request bodies, responses and hijacks, and invalid
    # responses.
    class RackTest < Minitest::Test
      include RackServer

      PLAIN = { "content-type" => "text/plain" }.freeze

      # A body that records how it is used.
      class Noted
        attr_reader :closed

        def initialize(*parts, pause: nil)
          @parts = parts
          @pause = pause
          @closed = 0
        end

        def each
          @parts.each do |part|
            @pause&.call
            raise part if part.is_a?(Exception)

            yield part
          end
        end

        def close
          @closed += 1
        end
      end

      def test_the_environment
        keys = %w[REQUEST_METHOD SCRIPT_NAME PATH_INFO QUERY_STRING REQUEST_URI SERVER_NAME SERVER_PORT HTTP_HOST
                  SERVER_PROTOCOL REMOTE_ADDR HTTP_X_A HTTP_COOKIE CONTENT_TYPE CONTENT_LENGTH rack.url_scheme
                  rack.multithread rack.multiprocess rack.run_once HTTP_VERSION REQUEST_PATH HTTP_CONTENT_LENGTH]
        serve { |env| [200, PLAIN.dup, [JSON.generate(env.slice(*keys))]] }
        each_version do |name, option|
          env = JSON.parse(curl(option, "-H", "X-a: 1", "-H", "x-A: 2", "-H", "X_A: evil", "-H", "Content_Length: 9",
                                "-H", "cookie: a=b", "-H", "content-type: text/x", "-H", "version: 3",
                                "-d", "abc", address("/a%2Fb//c%20?d=%20e&f?g")))
          assert_equal({ "REQUEST_METHOD" => "POST", "SCRIPT_NAME" => "", "PATH_INFO" => "/a%2Fb//c%20",
                         "QUERY_STRING" => "d=%20e&f?g", "REQUEST_URI" => "/a%2Fb//c%20?d=%20e&f?g",
                         "SERVER_NAME" => "127.0.0.1", "SERVER_PORT" => @port.to_s, "SERVER_PROTOCOL" => name,
                         "HTTP_VERSION" => name, "REQUEST_PATH" => "/a%2Fb//c%20",
                         "HTTP_HOST" => "127.0.0.1:#{@port}", "REMOTE_ADDR" => "127.0.0.1", "HTTP_X_A" => "1, 2",
                         "HTTP_COOKIE" => "a=b", "CONTENT_TYPE" => "text/x", "CONTENT_LENGTH" => "3",
                         "rack.url_scheme" => "http", "rack.multithread" => true, "rack.multiprocess" => false,
                         "rack.run_once" => false }, env)
        end
      end

      # If a request could choose the scheme, a client without TLS could get cookies that require TLS.
      def test_the_scheme_is_that_of_the_connection
        serve { |env| [200, PLAIN.dup, [env.values_at("rack.url_scheme", "HTTPS").compact.join(",")]] }
        head = "GET https://a.test/ HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n"
        assert_equal "http", talk(head).lines.last

        peer = AttackPeer.new(@port)
        fields = { ":method" => "GET", ":scheme" => "https", ":path" => "/", ":authority" => "a.test" }
        peer.write(peer.frame(1, 5, 1, peer.block(*fields.to_a.flatten)))
        length = -> { peer.seen.find { |type,| type.zero? }&.last } # of the frame of DATA
        Timeout.timeout(5) { (sleep 0.01) && peer.read until length.call }
        assert_equal "http".bytesize, length.call.to_i
      end

      # Curl's window is larger than the write buffer, so the write buffer is the limit.
      def test_a_stream_of_tiny_parts
        bytes = Random.new(7).bytes(2 << 20)
        body = Enumerator.new do |parts|
          at = 0
          while at < bytes.bytesize
            parts << bytes.byteslice(at, 1 + (at % 34))
            at += 1 + (at % 34)
          end
        end
        serve { [200, PLAIN.dup, body] }
        each_version { |name, option| assert curl(option, address("/")).b == bytes, name }
      end

      def test_strange_targets
        serve { |env| [200, PLAIN.dup, [env.values_at("SERVER_NAME", "SERVER_PORT", "PATH_INFO").join(" ")]] }
        { "OPTIONS * HTTP/1.1\r\nhost: a.test" => "a.test 80 *", "GET http://b.test:81 HTTP/1.1\r\nhost: a.test" =>
          "b.test 81 /", "GET / HTTP/1.0" => "localhost 80 /", "GET / HTTP/1.1\r\nhost: [::1]:5" => "[::1] 5 /",
          "GET / HTTP/1.1\r\nhost:" => "localhost 80 /" }.each do |head, told|
          assert_equal told, talk("#{head}\r\nconnection: close\r\n\r\n").lines.last
        end
        ["GET /a#b HTTP/1.1\r\nhost: x", "CONNECT x:80 HTTP/1.1\r\nhost: x:80"].each do |head|
          assert_match(%r{\AHTTP/1.1 400 }, talk("#{head}\r\nconnection: close\r\n\r\n"))
        end
      end

      # An HTTP/2 client may send any scheme, method, field names and authority. The caches for them are bounded.
      def test_cached_names_are_bounded
        environment = Rack::Environment.new
        of = lambda do |verb: "GET", scheme: "http", authority: "x", **headers|
          environment.of(Request.new(verb: verb, target: "/", headers: headers.transform_keys(&:to_s),
                                     version: "HTTP/2", scheme: scheme, authority: authority), Rack::Callbacks.new)
        end
        size = lambda do
          GC.start
          ObjectSpace.memsize_of_all(Hash)
        end
        before = size.call
        20_000.times { |n| assert_equal "http", of.call(scheme: "x#{n}", "y#{n}": "z")["rack.url_scheme"] }
        2000.times { |n| of.call(authority: "#{"x" * 2000}#{n}", "#{"y" * 2000}#{n}": "z") }
        assert_operator size.call - before, :<, 1_000_000
        assert_equal "on", of.call(scheme: "https")["HTTPS"]
        ["GET / HTTP/1.1", "G\xff", ""].each { |verb| assert_nil of.call(verb: verb) }
        assert_nil of.call(authority: "\xff")
      end

      def test_fields_of_a_response
        headers = { "X-Upper" => "1", "x-many" => %w[a b], "x-lines" => "c\nd", "x-number" => 5, "rack.own" => "e",
                    "x-none" => nil, "connection" => "keep-alive", "transfer-encoding" => "identity" }
        serve { |_| [200, headers, ["ok"]] }
        answer = curl("-i", "--http2-prior-knowledge", address)
        assert_equal ["x-upper: 1", "x-many: a", "x-many: b", "x-lines: c", "x-lines: d", "x-number: 5"],
                     answer.lines(chomp: true).grep(/^(x-|rack|connection|transfer)/)
        assert_match(/^x-upper: 1\r\nx-many: a\r\nx-many: b\r\nx-lines: c\r\nx-lines: d\r\n/,
                     curl("-i", "--http1.1", address))
      end

      def test_fields_that_cannot_be_sent
        serve { |_| [200, { "x" => "a\rb" }, ["ok"]] }
        each_version do |_, option|
          assert_equal "500", curl(option, "-o", File::NULL, "-w", "%{http_code}", address)
        end
        assert_match(/line break/, logged)
      end

      def test_input
        seen = Thread::Queue.new
        serve do |env|
          input = env["rack.input"]
          seen << [input.read(2), input.read(2, buffer = +"xyz"), buffer, input.gets, input.read(0),
                   input.each.first(1), input.read, input.read, input.read(1), input.gets, input.external_encoding]
          [200, PLAIN.dup, []]
        end
        each_version do |_, option|
          curl(option, "--data-binary", "@-", address, input: "abcd\ne\nfg\nhi")
          assert_equal ["ab", "cd", "cd", "\n", "", ["e\n"], "fg\nhi", "", nil, nil, Encoding::BINARY], take(seen)
          curl(option, address)
          assert_equal [nil, nil, "", nil, "", [], "", "", nil, nil, Encoding::BINARY], take(seen)
        end
      end

      def test_head_and_statuses_without_content
        bodies = []
        serve do |env|
          bodies << (body = Noted.new("abc"))
          status = env["PATH_INFO"][1..].to_i
          [status, { "x" => "y", **(status == 204 ? { "content-length" => "3" } : {}) }, body]
        end
        each_version do |_, option|
          assert_match(/x: y\r\n.*\r\n\z/m, curl(option, "-I", address("/200")))
          %w[204 304].each do |status|
            assert_match(/ #{status}.*\r\n\r\n\z/m, curl(option, "-i", address("/#{status}")))
          end
        end
        eventually { bodies.all? { |body| body.closed == 1 } }
        assert_match(%r{\AHTTP/1.1 204 No Content\r\nx: y\r\ndate: [^\n]*\r\n\r\n\z},
                     talk("GET /204 HTTP/1.1\r\nhost: x\r\n\r\n", until_text: "\r\n\r\n"))
      end

      def test_bodies_in_parts
        body = nil
        serve { |_| [200, PLAIN.dup, body = Noted.new("a", "", "b" * 100_000, "c")] }
        each_version do |_, option|
          assert_equal "a#{"b" * 100_000}c", curl(option, address)
          eventually { body.closed == 1 }
        end
        answer = talk("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert_match(/transfer-encoding: chunked\r\n(?:.+\r\n)*\r\n\h+\r\na/, answer)
        assert answer.end_with?("c\r\n0\r\n\r\n")
      end

      # A response with an Array has a content-length. An object with to_ary is treated as that Array.
      def test_arrays
        array = Struct.new(:to_ary) { def each(&block) = to_ary.each(&block) }.new(%w[x yz])
        bodies = { "/1" => ["abc"], "/2" => %w[a bc], "/0" => [], "/3" => array }
        serve { |env| [200, PLAIN.dup, bodies.fetch(env["PATH_INFO"])] }
        { "/1" => "abc", "/2" => "abc", "/0" => "", "/3" => "xyz" }.each do |path, text|
          answer = curl("-i", "--http1.1", address(path))
          assert_match(/content-length: #{text.size}\r\n(.*\r\n)*\r\n#{text}\z/, answer)
          assert_equal text, curl("--http2-prior-knowledge", address(path))
        end
      end

      def test_files
        path = write("big.bin", content = Random.new(3).bytes(3_000_001))
        body = nil
        serve do |_|
          body = Noted.new("not this")
          body.define_singleton_method(:to_path) { path }
          [200, PLAIN.dup, body]
        end
        each_version do |_, option|
          assert_equal content, curl(option, address)
          eventually { body.closed == 1 }
        end
      end

      # The client gets the first part before the application generates the second.
      def test_streams
        steps = Thread::Queue.new
        serve do |_|
          [200, PLAIN.dup, lambda do |stream|
            stream.write("one\n")
            steps.pop
            stream << "two\n"
            stream.close
          end]
        end
        each_version do |_, option|
          IO.popen(["curl", "-sSN", "--max-time", "20", option, address]) do |io|
            assert_equal "one\n", io.gets
            steps << :on
            assert_equal "two\n", io.read
          end
        end
      end

      # Both directions are used at the same time, also with a partial hijack.
      def test_streams_in_both_directions
        echo = lambda do |stream|
          while (line = stream.gets)
            stream.write(line.upcase)
          end
          stream.close
        end
        serve { |env| env["PATH_INFO"] == "/" ? [200, {}, echo] : [200, { "rack.hijack" => echo }, ["no"]] }
        %w[/ /hijack].product(VERSIONS.values).each do |path, option|
          assert_equal "AB\nCD", curl(option, "-T", "-", address(path), input: "ab\ncd")
        end
      end

      def test_hijack
        serve do |env|
          socket = env["rack.hijack"].call
          line = socket.readpartial(100)
          socket.write("all yours: #{line}")
          socket.close
          [200, {}, ["ignored"]]
        end
        assert_equal "all yours: early", talk("GET / HTTP/1.1\r\nhost: x\r\n\r\nearly")
        client = connect
        client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        sleep 0.02
        client.write("late")
        assert_equal "all yours: late", client.read
        eventually { @reactor.size.zero? }
      end

      # Earlier responses are sent completely before the hijack, even a file by sendfile.
      def test_hijack_after_a_file
        called = Thread::Queue.new
        body = Struct.new(:to_path).new(write("file", "f" * 100_000))
        serve do |env|
          next [200, PLAIN.dup, body] if env["PATH_INFO"] == "/file"

          called << true
          env["rack.hijack"].call.tap { |socket| socket.write("mine") }.close
        end
        @listener.setsockopt(:SOCKET, :SNDBUF, 4096) # accepted sockets inherit it
        client = Socket.new(:INET, :STREAM).tap { |socket| socket.setsockopt(:SOCKET, :RCVBUF, 4096) }
        client.connect(Addrinfo.tcp("127.0.0.1", @port))
        client.write("GET /file HTTP/1.1\r\nhost: x\r\n\r\n")
        got = client.readpartial(100)
        client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert_raises(Timeout::Error) { Timeout.timeout(0.2) { called.pop } }
        Timeout.timeout(SECONDS) { got << client.read }
        assert_equal ["f" * 100_000, "mine"], got.split("\r\n\r\n", 2).last.scan(/f+|mine/)
      ensure
        client&.close
      end

      def test_hijack_is_not_for_http2
        serve { |env| [200, PLAIN.dup, [env.key?("rack.hijack").to_s]] }
        assert_equal "false", curl("--http2-prior-knowledge", address)
      end

      # The bytes of a form can be read again after its parameters were parsed, for example to verify a signature. Short
      # forms are in memory, long ones in a file.
      def test_bodies_that_are_read_again
        seen = Thread::Queue.new
        serve do |env|
          input = env["rack.input"]
          first = input.read
          input.rewind
          seen << [first == input.read(first.bytesize), first.bytesize, env["HTTP_TRANSFER_ENCODING"]]
          [200, {}, [input.each.to_a.join, input.gets.to_s]]
        end
        each_version do |version, option|
          [10, 70_000, 300_000].each do |size|
            descriptors = Dir.children("/proc/self/fd").size
            assert_equal "", curl(option, "-d", "@-", address("/form"), input: "a=#{"x" * size}")
            assert_equal [true, size + 2, nil], take(seen), version
            eventually { Dir.children("/proc/self/fd").size <= descriptors }
          end
          curl(option, "-F", "a=<-", address("/form"), input: "x" * 300_000)
          assert_operator take(seen)[1], :>, 300_000
        end
      end

      # Long and chunked bodies are streamed and cannot be rewound. Chunked ones have a header field that makes Rails
      # read them.
      def test_bodies_that_are_read_once
        serve(limits: Limits.new(body_buffer: 0)) do |env|
          [200, {}, [[env["rack.input"].respond_to?(:rewind), env["HTTP_TRANSFER_ENCODING"]].inspect]]
        end
        each_version do |version, option|
          type = ["-H", "content-type: application/octet-stream", "-T"]
          assert_equal '[false, "chunked"]', curl(option, *type, "-", address("/x"), input: "abc"), version
          assert_equal "[true, nil]", curl(option, *type, write("short", "abc"), address("/x"))
          assert_equal "[false, nil]", curl(option, *type, write("long", "abc" * 30_000), address("/x"))
        end
      end

      # The body's to_ary raises an error. Rails 7.1 returns such a body for a range of a file.
      def test_a_body_with_a_length_that_fails_at_to_ary
        body = Object.new
        def body.each = yield("abc")
        def body.to_ary = each
        serve { |_| [206, { "content-length" => "3" }, body] }
        each_version { |_, option| assert_equal "abc", curl(option, address) }
      end

      # Rails 6.1 returns bodies whose to_ary returns nil.
      def test_a_body_whose_to_ary_is_nil
        body = Object.new
        def body.each = yield("abc")
        def body.to_ary = nil
        serve { |_| [200, {}, body] }
        each_version { |_, option| assert_equal "abc", curl(option, address) }
      end

      # A body that is already complete is sent with a content-length.
      def test_length_of_complete_bodies
        serve do |env|
          fields = env["PATH_INFO"] == "/trailers" ? { "trailer" => "x" } : {}
          [env["PATH_INFO"] == "/none" ? 304 : 200, fields, %w[abc de]]
        end
        each_version do |_, option|
          told = ["/", "/none", "/trailers"].map { |path| curl(option, "-i", address(path))[/content-length: \d+/] }
          assert_equal ["content-length: 5", nil, nil], told
          assert_equal "abcde", curl(option, address("/trailers"))
        end
      end

      # Rails' executor stores its state per thread, so `close` must run in the thread of `call`.
      def test_bodies_are_closed_by_the_thread_that_made_them
        path = write("file", "abc")
        made = Thread::Queue.new
        serve(threads: 2) do |env|
          body = Object.new
          thread = Thread.current
          body.define_singleton_method(:each) { |&block| block.call("abc") }
          body.define_singleton_method(:to_path) { path } if env["PATH_INFO"] == "/file"
          body.define_singleton_method(:close) { made << (thread == Thread.current) }
          [200, {}, body]
        end
        each_version do |_, option|
          %w[/file /parts].each do |name|
            4.times do
              assert_equal "abc", curl(option, address(name))
              assert take(made), name
            end
          end
        end
      end

      def test_early_hints
        serve do |env|
          env["rack.early_hints"].call("link" => "</a.css>; rel=preload")
          [200, PLAIN.dup, ["ok"]]
        end
        each_version do |name, option|
          assert_match(%r{\A#{name} 103.*\r\nlink: </a.css>; rel=preload\r\n.*^#{name} 200.*ok\z}m,
                       curl("-i", option, address))
        end
        refute_match(/103/, talk("GET / HTTP/1.0\r\n\r\n"))
      end

      def test_trailers
        serve do |env|
          text = env["rack.input"].read
          env["spate.trailers"] = { "x-sum" => text.sum.to_s }
          [200, { "trailer" => "x-sum" }, Noted.new(text, env["rack.input"].trailers.inspect)]
        end
        answer = talk("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n" \
                      "2\r\nab\r\n0\r\nX-Late: 1\r\ncontent-length: 5\r\n\r\n")
        assert_match(/\r\n\h+\r\nab{"x-late"=>"1"}\r\n0\r\nx-sum: 195\r\n\r\n\z/, answer.gsub('" => "', '"=>"'))
        assert_match(/x-sum: 97/, curl("-v", "--http2-prior-knowledge", "-d", "a", "--stderr", "-", address))
      end

      def test_the_end_of_a_response
        told = Thread::Queue.new
        serve do |env|
          env["rack.response_finished"] << ->(*args) { told << [1, *args.drop(1)] } << ->(*args) { told << [2, *args] }
          raise "no" if env["PATH_INFO"] == "/raise"

          [200, PLAIN.dup, env["PATH_INFO"] == "/parts" ? Noted.new("a") : ["a"]]
        end
        each_version do |_, option|
          %w[/ /parts].each do |path|
            curl(option, address(path))
            first, second = Array.new(2) { take(told) }
            assert_equal [2, 200, PLAIN, nil], [first[0], *first.drop(2)]
            assert_equal [1, 200, PLAIN, nil], second
          end
          curl(option, address("/raise"))
          _, (_, status, headers, error) = Array.new(2) { take(told) }
          assert_equal [nil, nil, RuntimeError], [status, headers, error.class]
        end
      end

      # The second request waits for the only thread.
      def test_queue_time
        measured, reported, go = Array.new(3) { Thread::Queue.new }
        serve(threads: 1, queue_time: ->(seconds) { reported << seconds }) do |env|
          measured << env["spate.queue_seconds"]
          go.pop
          [200, {}, []]
        end
        clients = Array.new(2) { Thread.new { curl("-s", address("/")) } }
        sleep 0.01 until @handler.pool.backlog == 1
        waiting = Server.now
        2.times { go << true }
        clients.each(&:join)
        most = Server.now - waiting + SECONDS
        first, second = take(measured), take(measured)

        assert_operator first, :<, second
        assert_includes 0.000001..most, second
        assert_equal [first, second], [take(reported), take(reported)]
      end

      # An invalid response head is an internal error in both versions of HTTP.
      def test_invalid_response_heads
        heads = { "/100" => [100, {}], "/0" => [0, {}], "/1000" => [1000, {}], "/status" => [nil, {}],
                  "/length" => [200, { "content-length" => "abc" }], "/fields" => [200, nil],
                  "/lengths" => [200, { "content-length" => %w[1 2] }], "/101" => [101, { "upgrade" => "x" }] }
        closed = Thread::Queue.new
        serve(threads: 1) do |env|
          env["rack.response_finished"] << ->(*) { closed << :told }
          body = Noted.new("abc")
          body.define_singleton_method(:close) { closed << :closed }
          [*heads.fetch(env["PATH_INFO"]), body]
        end
        heads.each_key do |path|
          each_version do |version, option|
            assert_match(/ 500.*failed/m, curl(option, "-i", address(path)), "#{version} #{path}")
            assert_equal %i[closed told], [take(closed), take(closed)].sort, "#{version} #{path}"
          end
        end
        assert_match(/status 100 is not a final status.*content-length is "abc"/m, logged)
      end

      def test_fields_with_nil
        serve { |_| [200, { "a" => nil, "b" => [nil, "c"], "d" => 5 }, ["ok"]] }
        each_version do |_, option|
          assert_equal ["b: c", "d: 5"], curl(option, "-i", address).scan(/^[abd]: ?\w*/)
        end
      end

      def test_parts_of_several_encodings
        parts = ["\u00e9", "\xff".b, "\u00e9".encode("UTF-16LE"), "\u00e9".encode("ISO-8859-1")]
        serve { |env| [200, {}, env["PATH_INFO"] == "/" ? parts : parts.each] }
        each_version do |_, option|
          ["/", "/each"].each { |path| assert_equal parts.map(&:b).join, curl(option, address(path)).b, path }
        end
      end

      # Rack 2's middleware encodes chunks for all versions of clients. The application sends them in parts of any size.
      def test_chunks_encoded_by_the_application
        chunks = "3\r\nabc\r\n00a;x=y\r\n0123456789\r\n0\r\nx: y\r\n\r\n"
        fields = { "transfer-encoding" => "chunked" }
        serve do |env|
          size = env["PATH_INFO"][1..].to_i
          next [200, { **fields, "rack.hijack" => ->(io) { io.write(chunks) && io.close } }, []] if size.zero?

          [200, fields.dup, chunks.scan(/.{1,#{size}}/m)]
        end
        [*VERSIONS.values, "--http1.0"].each do |option|
          [1, 2, 7, 100, 0].each do |size|
            assert_equal "abc0123456789", curl(option, address("/#{size}")), [option, size]
          end
        end
      end

      def test_invalid_chunks_of_the_application
        serve { |_| [200, { "transfer-encoding" => "chunked" }, ["nonsense\n"]] }
        _, status = Open3.capture2e("curl", "-sS", "--http2-prior-knowledge", address)
        refute_predicate status, :success?
        assert_match(/the body is not chunked/, logged)
      end

      # Applications written for Rack 2 expect the socket in env["rack.hijack_io"].
      def test_hijacked_socket_is_in_the_environment
        serve do |env|
          env["rack.hijack"].call
          env["rack.hijack_io"].write("HTTP/1.1 200 OK\r\n\r\nmine")
          env["rack.hijack_io"].close
          [-1, {}, []]
        end
        assert_match(/mine\z/, talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n"))
      end
    end
  end
end
