# frozen_string_literal: true

require "test_helper"
require "digest"
require "support/assault/attack_client"
require "support/assault/attack_peer"
require "support/rack_apps"
require "support/rack_server"

module Spate
  module Server
    # Request bodies are received before the application is called, and buffered in memory or in unnamed files.
    class RackGatheringTest < Minitest::Test
      include RackServer

      PLAIN = { "content-type" => "text/plain" }.freeze
      # Requested while other clients are slow.
      QUICK = "/quick"

      def echo(**options)
        seen = @seen = Thread::Queue.new
        serve(**options) do |env|
          seen << env["PATH_INFO"]
          text = env["rack.input"].read
          [200, PLAIN.dup, ["#{text.bytesize} #{Digest::SHA256.hexdigest(text)}"]]
        end
      end

      def told(text) = "#{text.bytesize} #{Digest::SHA256.hexdigest(text)}"
      def seen = Array.new(@seen.size) { @seen.pop }
      def nothing_is_held = eventually { @handler.quota.bytes.zero? && @handler.quota.memory.zero? }

      # Different ways to send a slow body, with and without waiting for status 100.
      SLOW = ["content-length: 10000000", "transfer-encoding: chunked", "content-length: 9",
              "content-length: 10000000\r\nexpect: 100-continue"].freeze

      def test_slow_clients_hold_no_thread
        echo(threads: 2)
        clients = SLOW.flat_map do |line|
          Array.new(3) { AttackClient.new(@port).tap { |client| client.write(client.post("/slow", line)) } }
        end
        peers = Array.new(3) { AttackPeer.new(@port).tap { |peer| peer.write(peer.post(1, "/slow")) } }
        3.times do
          clients.each { |client| client.write(client.equal?(clients[3]) ? "1\r\nx\r\n" : "x") }
          peers.each { |peer| peer.write(peer.frame(0, 0, 1, "x")) }
          each_version { |_, option| assert_match(/\A0 /, curl(option, address(QUICK))) }
          eventually { @handler.pool.idle == 2 }
        end
        assert_equal [QUICK] * 6, seen
        clients[6].write("x" * 6) # completes the body of nine bytes
        eventually { seen == ["/slow"] }
      ensure
        (clients.to_a + peers.to_a).each(&:close)
        nothing_is_held
      end

      # Sizes for memory, for a file, and around the limit between them; with content-length and in chunks. Bodies can
      # be read again.
      def test_bodies_of_all_sizes
        serve do |env|
          input = env["rack.input"]
          first = input.read
          input.rewind
          [200, PLAIN.dup, [[told(first), first == input.read, env["CONTENT_LENGTH"] == first.bytesize.to_s,
                             env["HTTP_TRANSFER_ENCODING"]].inspect]]
        end
        [1, 65_535, 65_536, 65_537, 3_000_000].each do |size|
          text = Random.new(size).bytes(size)
          path = write("body", text)
          each_version do |version, option|
            [path, "-"].each do |source|
              assert_equal [told(text), true, true, nil].inspect,
                           curl(option, "-T", source, address, input: text), "#{version} #{size} #{source}"
            end
          end
        end
        nothing_is_held
      end

      def test_longer_body_is_streamed
        begun = Thread::Queue.new
        serve(limits: Limits.new(body_buffer: 100_000)) do |env|
          begun << true
          digest = Digest::SHA256.new
          while (part = env["rack.input"].read(10_000))
            digest << part
          end
          [200, PLAIN.dup, [digest.hexdigest]]
        end
        text = Random.new(1).bytes(1_000_000)
        client = connect
        client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: #{text.bytesize}\r\n\r\n", text[0, 99_000])
        assert_raises(Timeout::Error) { Timeout.timeout(0.2) { begun.pop } }
        client.write(text[99_000, 2000])
        take(begun)
        client.write(text[101_000..])
        assert_match(/#{Digest::SHA256.hexdigest(text)}\z/, read_until(client, Digest::SHA256.hexdigest(text)))
        each_version do |_, option|
          assert_equal Digest::SHA256.hexdigest(text), curl(option, "-T", write("body", text), address)
        end
        nothing_is_held
      end

      # While a thread waits for the rest of a body, its client must keep a minimum rate.
      def test_a_thread_that_waits
        errors = Thread::Queue.new
        limits = Limits.new(body_buffer: 1000, body_seconds: 1, minimum_rate: 1, body_rate: 10_000)
        serve(threads: 1, limits: limits) do |env|
          env["rack.input"].read
          [200, PLAIN.dup, ["whole"]]
        rescue IOError => e
          errors << e
          raise
        end
        client = AttackClient.new(@port)
        client.write(client.post("/", "content-length: 1000000") + ("x" * 2000))
        client.every(0.1, 60) { errors.empty? ? "x" * 10 : "" }
        assert_equal 408, client.ending(SECONDS)
        assert_match(/10000 bytes a second of a body that a thread waits for/, take(errors).message)
        peer = AttackPeer.new(@port)
        peer.write(peer.post(1, "/") + peer.frame(0, 0, 1, "x" * 2000))
        peer.every(0.1, 60) { errors.empty? ? peer.frame(0, 0, 1, "x" * 10) : "" }
        assert_kind_of Request::Body::Aborted, take(errors)
      ensure
        [client, peer].compact.each(&:close)
        nothing_is_held
      end

      # Further requests get 503 with retry-after, and their connections stay open.
      def test_full_buffer_space
        echo(limits: Limits.new(body_buffer_total: 100_000))
        first = connect
        first.write("POST /first HTTP/1.1\r\nhost: x\r\ncontent-length: 90001\r\n\r\n", "x" * 90_000)
        eventually { @handler.quota.bytes == 90_000 }
        text = "y" * 70_000
        each_version do |version, option|
          assert_match(/\A#{version} 503 .*^retry-after: \d/m, curl(option, "-i", "-H", "expect:", "-d", text, address))
          assert_match(/\A20000 /, curl(option, "-d", "z" * 20_000, address)) # small bodies need no file
        end
        second = connect
        second.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 70000\r\n\r\n#{text}")
        read_until(second, "received.\n")
        second.write("GET /quick HTTP/1.1\r\nhost: x\r\n\r\n")
        assert_match(/200 OK/, read_until(second, "\r\n\r\n0 "))
        first.write("x")
        assert_includes read_until(first, "\r\n\r\n90001"), "200 OK"
        nothing_is_held
        assert_match(/\A70000 /, curl("-d", text, address))
      end

      # A client whose body uses scarce buffer space must keep a minimum rate, as a client that occupies a thread must.
      def test_slow_client_loses_its_buffer_space
        echo(limits: Limits.new(body_buffer_total: 100_000, body_seconds: 1, minimum_rate: 1, body_rate: 10_000))
        client = AttackClient.new(@port)
        client.write(client.post("/slow", "content-length: 1000000") + ("x" * 90_000))
        drip(client) { "x" * 10 }
        assert_equal 408, client.ending(0)
        peer = AttackPeer.new(@port)
        peer.write(peer.post(1, "/slow") + (peer.frame(0, 0, 1, "x" * 15_000) * 6))
        drip(peer) { peer.frame(0, 0, 1, "x" * 10) }
        assert_match(/\A70000 /, curl("-d", "y" * 70_000, address))
      ensure
        [client, peer].compact.each(&:close)
      end

      # Sends slowly until the server frees the buffer space.
      def drip(socket, &block)
        eventually { @handler.quota.bytes >= 90_000 }
        100.times { socket.every(0.1, 1, &block) if @handler.quota.bytes.positive? }
        assert_equal 0, @handler.quota.bytes
      end

      # Streamed bodies that are buffered for rewinding use the same quota.
      def test_streamed_forms
        failed = Thread::Queue.new
        [0, 100_000].each do |buffer|
          serve(limits: Limits.new(body_buffer: buffer, body_buffer_total: 200_000)) do |env|
            first = env["rack.input"].read
            env["rack.input"].rewind
            [200, PLAIN.dup, [[told(first), first == env["rack.input"].read].inspect]]
          rescue IOError => e
            assert_raises(e.class) { env["rack.input"].read }
            failed << e.message
            raise
          end
          each_version do |version, option|
            text = Random.new(1).bytes(150_000)
            assert_equal [told(text), true].inspect, curl(option, "--data-binary", "@-", address, input: text), version
            next if buffer.positive? # if one read returns all of it, the response is 503

            assert_match(/ 500 /, curl(option, "-i", "-d", "@-", address, input: "x" * 300_000), version)
            assert_match(/200000/, take(failed))
          end
          lost_forms(failed)
          nothing_is_held
          stop
        end
      ensure
        @reactor = nil
      end

      def lost_forms(failed)
        GC.disable
        descriptors = Dir.children("/proc/self/fd").size
        5.times do
          client = connect
          client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 190000\r\n" \
                       "content-type: multipart/form-data\r\n\r\n", "x" * 180_000)
          eventually { @handler.pool.idle == 2 && @handler.quota.bytes == 180_000 }
          client.close
          take(failed)
        end
        eventually { Dir.children("/proc/self/fd").size <= descriptors }
      ensure
        GC.enable
      end

      # The number of files is limited, because connections need descriptors.
      def test_too_many_files
        echo
        most = Process.getrlimit(Process::RLIMIT_NOFILE).first
        quota = @handler.instance_variable_set(:@quota, Rack::BufferedBody::Quota.new(files: 2))
        text = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 70001\r\n\r\n#{"x" * 70_000}"
        clients = Array.new(2) { connect.tap { |client| client.write(text) } }
        eventually { quota.bytes == 140_000 }
        assert_match(/ 503 /, curl("-i", "-H", "expect:", "-d", "y" * 70_000, address))
        assert_match(/\A9 /, curl("-d", "y" * 9, address))
        clients.each { |client| client.write("x") && read_until(client, "70001 ") }
        assert_match(/\A70000 /, curl("-d", "y" * 70_000, address))
        assert_operator Rack::BufferedBody::Quota.new.instance_variable_get(:@most_files), :<, most
      end

      def test_clients_that_go_away
        echo
        descriptors = Dir.children("/proc/self/fd").size
        clients = Array.new(20) do |n|
          connect.tap do |client|
            client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n", "x" * 10_000 * n)
          end
        end
        eventually { @handler.quota.bytes == 10_000 * 190 }
        clients.each(&:close)
        nothing_is_held
        eventually { Dir.children("/proc/self/fd").size <= descriptors }
        assert_empty seen
      end

      # When the pool is full, a request is refused before its body is read.
      def test_a_full_pool
        go = Thread::Queue.new
        serve(threads: 1, waiting: 1) do |_|
          go.pop
          [200, PLAIN.dup, []]
        end
        text = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 70000\r\n\r\n#{"x" * 70_000}"
        clients = Array.new(3) do |n|
          connect.tap do |client|
            client.write(text)
            eventually { @handler.pool.backlog >= [n, 1].min && go.num_waiting == 1 }
          end
        end
        assert_match(/ 503 /, read_until(clients.last, "\r\n\r\n"))
        2.times { go << 1 }
        clients.first(2).each { |client| assert_match(/ 200 /, read_until(client, "\r\n\r\n")) }
        nothing_is_held
      end

      APPLICATION = File.expand_path("../support/rack_apps/lint.ru", __dir__)
      SERVE = File.expand_path("../../exe/spate-serve", __dir__)

      # Starts a server with 1 MB in TMPDIR.
      def serve_with_little_room
        RackApps.make
        Dir.mkdir(@room = File.join(folder, "room"))
        skip "no tmpfs can be mounted here" unless system("unshare", "-m", "mount", "-t", "tmpfs", "none", @room,
                                                          err: File::NULL)
        script = 'mount -t tmpfs -o size=1m none "$1" && export TMPDIR="$1" && shift && exec "$@"'
        @server = RackApps.new(folder) do |port|
          ["unshare", "-m", "sh", "-c", script, "sh", @room, RbConfig.ruby, SERVE, "--rack", APPLICATION,
           "--port", port.to_s]
        end
        @port = @server.port
      end

      def test_a_full_disk
        serve_with_little_room
        large, fitting = %w[large fitting].zip([3_000_000, 500_000]).map { |name, size| write(name, "x" * size) }
        each_version do |version, option|
          told = curl(option, "-i", "-H", "expect:", "-T", large, address("/echo"))
          assert_match(/\A#{version} 503 .*cannot be buffered/m, told)
          assert_equal File.read(fitting), curl(option, "-T", fitting, address("/echo")) # the space was freed
        end
        client = connect
        client.write("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1200000\r\n\r\n", "x" * 1_200_000,
                     "GET /array HTTP/1.1\r\nhost: x\r\n\r\n")
        assert_match(/ 503 .*200 OK/m, read_until(client, "array\n")) # and the connection goes on
        assert_match(/cannot be buffered: No space left on device.*TMPDIR/, File.read(@server.log))
      ensure
        @server&.stop
      end

      # A killed server leaves no files, because they have no names.
      def test_a_server_that_is_killed
        RackApps.make
        Dir.mkdir(room = File.join(folder, "room"))
        server = RackApps.new(folder) do |port|
          ["env", "TMPDIR=#{room}", RbConfig.ruby, SERVE, "--rack", APPLICATION, "--port", port.to_s]
        end
        @port = server.port
        client = connect
        client.write("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 3000000\r\n\r\n", "x" * 2_000_000)
        eventually { server.files.any? { |path| path.start_with?(room) } }
        server.stop(:KILL)
        assert_empty Dir.children(room)
      end
    end
  end
end
