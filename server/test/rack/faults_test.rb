# frozen_string_literal: true

require "test_helper"
require "digest"
require "support/rack_server"

module Spate
  module Server
    # Applications and clients that fail, are slow, or disconnect affect only their own requests.
    class RackFaultsTest < Minitest::Test
      include RackServer

      PLAIN = { "content-type" => "text/plain" }.freeze
      # Passes request bodies to the application while they are received.
      FLOWING = Limits.new(body_buffer: 0).freeze
      GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n"

      # A body whose `each` runs a block. Counts calls of `close`.
      class Stream
        attr_reader :closed, :error

        def initialize(&block)
          @block = block
          @closed = 0
        end

        def each(&block)
          @block.call(block)
        rescue IOError => e
          @error = e
          raise
        end

        def close
          @closed += 1
        end
      end

      def status(option, path = "/") = curl(option, "-o", File::NULL, "-w", "%{http_code}", address(path))

      def test_a_port_that_is_taken
        taken = TCPServer.new("127.0.0.1", 0)
        rackup = Object.new.extend(Rack::Rackup)
        _, told = capture_io do
          assert_raises(Error) { rackup.run(->(_) {}, Host: "127.0.0.1", Port: taken.local_address.ip_port) }
        end
        assert_match(/\Ahint: process #{Process.pid} uses it .*choose another --port\n\z/, told)
      ensure
        taken.close
      end

      def test_errors_before_the_first_byte
        faults = { "/a" => -> { raise "as asked" }, "/b" => -> { throw :nowhere }, "/c" => -> { exit }, "/d" => lambda {
          [200, {}, Stream.new { raise NotImplementedError, "as asked" }]
        }, "/e" => -> { nil }, "/f" => -> { Thread.current.kill } }
        serve(threads: 2) { |env| faults.fetch(env["PATH_INFO"]).call }
        each_version do |_, option|
          %w[/a /b /c /d /e].each { |path| assert_equal "500", status(option, path), path }
        end
        assert_match(%r{GET /a: RuntimeError: as asked\n.*faults_test.rb}m, logged)
        2.times { assert_equal "500", status("--http1.1", "/f") } # each request ends a thread
        assert_equal "500", status("--http1.1", "/a")
      end

      # A client can recognize an incomplete response.
      def test_errors_after_the_first_byte
        body = nil
        serve do |_|
          body = Stream.new do |out|
            out.call("first")
            raise "as asked \xff".b
          end
          [200, PLAIN.dup, body]
        end
        _, status = Open3.capture2e("curl", "-sS", "--http2-prior-knowledge", address)
        assert_equal 92, status.exitstatus
        assert_match(/\r\n5\r\nfirst\r\n\z/, talk("GET /\u00e4 HTTP/1.1\r\nhost: x\r\n\r\n"))
        eventually { body.closed == 1 }
        assert_match(/as asked/n, logged.b)
      end

      # An invalid head closes its connection, and frees the application's thread.
      def test_heads
        heads = { "/mixed" => { "a" => "\u00e9", "b" => "\xff".b, "c" => "\xff" }, "/huge" => { "a" => "x" * 400_000 } }
        body = nil
        serve(threads: 1) do |env|
          [200, heads.fetch(env["PATH_INFO"]).dup, body = Stream.new { |out| 100.times { out.call("x" * 10_000) } }]
        end
        each_version do |name, option|
          assert_equal 1_000_000, curl(option, address("/mixed")).bytesize, name
          _, status = Open3.capture2e("curl", "-sS", "--max-time", "5", option, address("/huge"))
          refute_includes [0, 28], status.exitstatus, name
          eventually { body.closed == 1 }
        end
      end

      def test_lengths_that_are_wrong
        serve { |env| [200, { "content-length" => env["PATH_INFO"][1..] }, Stream.new { |out| out.call("abcd") }] }
        assert_match(/\r\n\r\nabc\z/, talk("GET /3 HTTP/1.1\r\nhost: x\r\n\r\n"))
        assert_match(/\r\n\r\nabcd\z/, talk("GET /5 HTTP/1.1\r\nhost: x\r\n\r\n"))
        assert_match(/longer than its content-length.*\n.*ends after 4 of 5/, logged)
      end

      # Two requests are processed, one waits, and the others get 503.
      def test_a_full_pool
        go = Thread::Queue.new
        serve(threads: 2, waiting: 1) do |_|
          go.pop
          [200, PLAIN.dup, ["done"]]
        end
        first = Array.new(2) { connect.tap { |client| client.write(GET) } }
        eventually { go.num_waiting == 2 }
        first << connect.tap { |client| client.write(GET) }
        eventually { @handler.pool.backlog == 1 }
        each_version do |name, option|
          assert_match(/\A#{name} 503.*^retry-after: \d+\r/m, curl("-i", option, address))
        end
        3.times { go << 1 }
        first.each { |client| assert_match(/done\z/, read_until(client, "done")) }
      end

      def test_a_hundred_streams_at_once
        serve(threads: 4, waiting: 200) { |env| [200, PLAIN.dup, [env["rack.input"].read.upcase]] }
        told = IO.popen(["nghttp", "-nv", "-m", "100", address], &:read)
        assert_equal 100, told.scan(/:status: 200/).size
      rescue Errno::ENOENT
        skip "nghttp is not installed"
      end

      # Unsent bytes are bounded, and other clients are served.
      def test_a_slow_reader
        pushed = 0
        serve(threads: 2) do |env|
          next [200, PLAIN.dup, ["quick"]] if env["PATH_INFO"] == "/quick"

          [200, PLAIN.dup, Stream.new do |out|
            200.times do
              out.call("x" * 100_000)
              pushed += 1
            end
          end]
        end
        client = connect
        client.write(GET)
        read_until(client, "\r\n\r\n")
        before = nil
        eventually { (before == pushed && pushed.positive?) || ((before = pushed) && sleep(0.1) && false) }
        assert_operator pushed, :<, 150
        each_version { |_, option| assert_equal "quick", curl(option, address("/quick")) }
        assert_operator Timeout.timeout(SECONDS) { client.read(19_000_000) }.bytesize, :>=, 19_000_000
      end

      # The application gets an error, the body is closed, and the thread is free again.
      def test_client_that_disconnects
        bodies = []
        serve(threads: 1) do |env|
          next [200, PLAIN.dup, ["alive"]] if env["PATH_INFO"] == "/alive"

          bodies << (body = Stream.new { |out| loop { out.call("x" * 10_000) } })
          [200, PLAIN.dup, body]
        end
        each_version do |_, option|
          curl = Process.spawn("curl", "-sS", option, address, out: File::NULL, err: File::NULL)
          eventually { bodies.any? }
          sleep 0.05
          Process.kill(:KILL, curl)
          Process.wait(curl)
          eventually { bodies.last.closed == 1 }
          assert_kind_of Response::Body::Queue::Disconnected, bodies.last.error
          assert_equal "alive", curl(option, address("/alive"))
          bodies.clear
        end
      end

      # A cancelled request is not started.
      def test_cancelled_requests
        go = Thread::Queue.new
        seen = Thread::Queue.new
        serve(threads: 1) do |env|
          seen << env["PATH_INFO"]
          go.pop
          [200, PLAIN.dup, ["ok"]]
        end
        connect.write("GET /first HTTP/1.1\r\nhost: x\r\n\r\n")
        take(seen)
        head = "\x82\x86\x44\x06/reset".b
        old = connect
        old.write("GET /gone HTTP/1.1\r\nhost: x\r\n\r\n")
        new = connect
        new.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0".b)
        50.times do |n|
          id = [(2 * n) + 1].pack("N")
          new.write([0, 0, head.bytesize, 1, 5].pack("C*"), id, head, [0, 0, 4, 3, 0].pack("C*"), id, [8].pack("N"))
        end
        eventually { @handler.pool.backlog == 51 }
        old.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
        old.close
        eventually { @reactor.size == 2 }
        connect.write("GET /last HTTP/1.1\r\nhost: x\r\n\r\n")
        eventually { @handler.pool.backlog == 52 }
        2.times { go << true }
        assert_equal "/last", take(seen)
      end

      def test_client_that_disconnects_while_sending_its_body
        begun = Thread::Queue.new
        errors = Thread::Queue.new
        serve(threads: 1, limits: FLOWING) do |env|
          begun << true
          env["rack.input"].read
          [200, {}, []]
        rescue IOError => e
          errors << e
          raise
        end
        client = connect
        client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\nabc")
        take(begun)
        client.close
        assert_kind_of Request::Body::Aborted, take(errors)
        reader, writer = IO.pipe
        writer << "abc" # later versions of curl ask once they have something to send
        curl = Process.spawn("curl", "-sS", "--http2-prior-knowledge", "-T", "-", address, in: reader)
        take(begun)
        Process.kill(:KILL, curl)
        Process.wait(curl)
        [reader, writer].each(&:close)
        assert_kind_of Request::Body::Aborted, take(errors)
      end

      # Unread bytes of a body beyond the window stay with the client. A small rest is read before the next request.
      def test_unread_bodies
        serve(limits: FLOWING) { |_| [200, PLAIN.dup, ["unread"]] }
        answers = talk("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello" \
                       "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert_equal 2, answers.scan("unread").size
        each_version do |_, option|
          assert_equal "unread", curl(option, "-d", "x" * 10_000, address)
        end
        # Some clients fail if the rest of their body is not read.
        path = write("big", "x" * 3_000_000)
        assert_equal "unread", curl("--http1.1", "-H", "expect:", "-T", path, address)
        client = connect
        client.write("POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n")
        assert_match(/\AHTTP.1.1 200 .*^connection: close\r.*unread\z/m, client.read)
      end

      def test_status_100_is_sent_when_the_body_is_read
        serve { |env| [200, PLAIN.dup, [env["rack.input"].read]] }
        client = connect
        client.write("POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n")
        assert_equal "HTTP/1.1 100 Continue\r\n\r\n", read_until(client, "\r\n\r\n")
        client.write("hello")
        assert_match(/\AHTTP.1.1 200 .*hello\z/m, read_until(client, "hello"))
      end

      # Uploads 100 MB to an application that reads slowly at first. The bytes arrive unchanged, and memory is bounded.
      def test_an_upload
        path = File.join(folder, "upload")
        block = Random.new(4).bytes(1 << 20)
        File.open(path, "wb") { |file| 100.times { |n| file.write([n].pack("N"), block) } }
        most = 0
        serve(limits: FLOWING) do |env|
          digest = Digest::SHA256.new
          buffer = +""
          sleep 0.2
          while env["rack.input"].read(100_000, buffer)
            digest << buffer
            most = [most, env["spate.request"].body.size].max
          end
          [200, PLAIN.dup, [digest.hexdigest]]
        end
        expected = Digest::SHA256.file(path).hexdigest
        each_version do |_, option|
          assert_equal expected, curl(option, "-H", "expect:", "-T", path, address)
          assert_operator most, :<=, Limits.defaults.stream_window + Reactor::INPUT
        end
        assert_operator most, :>, 500_000
      end

      # The client sends its whole body before the request ends, as with puma, although the application does not read
      # it.
      def test_an_unread_body
        File.open(path = File.join(folder, "body"), "wb") { |file| file.truncate(8 << 20) }
        ended = Thread::Queue.new
        serve(limits: FLOWING) do |env|
          env["rack.response_finished"] << ->(*, error) { ended << error.class }
          [200, PLAIN.dup, ["no, thanks"]]
        end
        each_version do |_, option|
          assert_equal "no, thanks", curl(option, "-H", "expect:", "-T", path, address)
          assert_equal NilClass, take(ended)
        end
        slow = Process.spawn("curl", "-s", "--http2-prior-knowledge", "--limit-rate", "100K", "-T", path, address,
                             out: File::NULL)
        eventually { @reactor.size == 1 }
        sleep 0.2
        Process.kill(:KILL, slow)
        Process.wait(slow)
        assert_equal Response::Body::Queue::Disconnected, take(ended)
      end

      def test_an_application_that_takes_longer_than_the_idle_limit
        serve(limits: Limits.new(idle: 1)) do |_|
          sleep 2.5
          [200, PLAIN.dup, ["late"]]
        end
        each_version { |_, option| assert_equal "late", curl(option, address) }
      end
    end
  end
end
