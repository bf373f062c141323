# frozen_string_literal: true

require "test_helper"
require "json"
require "support/rack_server"

module Spate
  module Server
    # The access log has a line for each request, also for requests without a complete response.
    class UnansweredTest < Minitest::Test
      include RackServer

      POST = "POST /body HTTP/1.1\r\nhost: x\r\n"

      def setup
        @path = File.join(folder, "access.log")
        @held = Thread::Queue.new
        @began = Thread::Queue.new
      end

      def teardown
        @held.close
        super
      end

      def log(limits = Limits.new)
        serve(observer: Monitoring::Observer.new(access_log: Monitoring::AccessLog.new(@path)), limits: limits) do |env|
          answer(env)
        end
      end

      # /wait gets no response before the end of the test. /begun gets the beginning of one.
      def answer(env)
        @began << env["PATH_INFO"]
        case env["PATH_INFO"]
        when "/wait" then @held.pop
        when "/hijack" then hijack(env["rack.hijack"].call)
        when "/begun" then return [200, {}, Enumerator.new { |parts| (parts << "begun") && @held.pop }]
        when "/body" then env["rack.input"].read
        end
        [200, {}, []]
      end

      def hijack(socket)
        socket.write("yours\n")
        socket.close
      end

      # Returns target, version, status and bytes of each line, sorted by target.
      def lines
        File.readlines(@path).map { |line| JSON.parse(line).values_at("target", "protocol", "status", "bytes") }.sort
      end

      # Path of the client's output.
      def got(path) = File.join(folder, File.basename(path))

      def ask(paths, version)
        clients = paths.map { |path| Process.spawn("curl", "-sN", version, "-o", got(path), address(path)) }
        paths.each { take(@began) }
        clients
      end

      def test_the_server_ends
        each_version do |protocol, option|
          File.write(@path, "")
          log(Limits.new(drain: 0))
          FileUtils.rm_f(got("/begun"))
          clients = ask(%w[/wait /begun], option)
          eventually { File.size?(got("/begun")) == 5 }
          @reactor.stop
          Timeout.timeout(SECONDS) { @thread.join }
          @held << 1 << 2
          clients.each { |pid| Process.wait(pid) }
          assert_equal [["/begun", protocol, 200, 5], ["/wait", protocol, nil, 0]], lines
          teardown_server
        end
      end

      def teardown_server
        stop
        @reactor = nil
      end

      # In HTTP/1.1, a disconnected client looks like one that closed only its sending side, so the server responds.
      def test_client_disconnects
        log
        each_version do |_, option|
          clients = ask(%w[/wait], option)
          clients.each { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
          @held << 1
        end
        eventually { File.size(@path).positive? && lines.size == 2 }
        assert_equal [["/wait", "HTTP/1.1", 200, 0], ["/wait", "HTTP/2", nil, 0]], lines
      end

      def test_full_hijack
        log
        assert_equal "yours\n", talk("GET /hijack HTTP/1.1\r\nhost: x\r\n\r\n")
        eventually { File.size(@path).positive? }
        assert_equal [["/hijack", "HTTP/1.1", nil, 0]], lines
      end

      # The log has the status that the client received.
      def test_a_body_that_is_refused
        log(Limits.new(body: 100_000))
        assert_match(/\A\S+ 413 .*a body of more than 100000 bytes\.\n\z/m,
                     talk("#{POST}content-length: 100001\r\n\r\n"))
        assert_match(/\A\S+ 400 /, talk("#{POST}transfer-encoding: chunked\r\n\r\nno\r\n"))
        assert_equal "More than 100000 bytes of content.\n",
                     curl("--http2-prior-knowledge", "-d", "x" * 100_001, address("/body"))
        eventually { File.size(@path).positive? && lines.size == 3 }
        assert_equal [["/body", "HTTP/1.1", 400, 0], ["/body", "HTTP/1.1", 413, 0]], lines.first(2)
        assert_equal ["/body", "HTTP/2", 413], lines.last.first(3)
      end

      def test_slow_request_head
        log(Limits.new(head_seconds: 1))
        assert_match(/\A\S+ 408 .*\r\n\r\nRequest Timeout: request fields incomplete after 1 s\.\n\z/m,
                     talk("GET / HTTP/1.1\r\nho"))
      end

      def test_common_log
        log = Monitoring::AccessLog::CommonFormat.new
        request = Request.new(verb: "GET", target: "/", headers: {}, version: "HTTP/2")
        assert_match(%r{"GET / HTTP/2" - -\n\z}, log.line("::1", request, nil, 0, 1.0))
      end
    end
  end
end
