# frozen_string_literal: true

require "socket"
require "open3"
require "timeout"

module Spate
  module Server
    # Runs a Rack application with a Reactor in a thread of the test process.
    module RackServer
      SECONDS = 10
      # Timeout in seconds, enough for 100 MB on a busy machine.
      TRANSFER = 60

      # reactor: further keywords of Reactor.new. handler: further keywords of Rack.handler.
      def serve(app = nil, threads: 3, waiting: 64, limits: Limits.new, observer: nil, reactor: {}, **handler, &block)
        @log = Thread::Queue.new
        @handler = Rack.handler(app || block, threads: threads, waiting: waiting, log: ->(line) { @log << line },
                                              **handler)
        listener = TCPServer.new("127.0.0.1", 0)
        @port = listener.local_address.ip_port
        @reactor = Reactor.new(listener, @handler, limits: limits, log: ->(line) { @log << line }, observer: observer,
                                                   **reactor)
        @thread = Thread.new { @reactor.run }
        @listener = listener
      end

      def teardown
        @clients&.each(&:close)
        stop if @reactor
        super
      end

      def stop
        @reactor.halt
        Timeout.timeout(SECONDS) { @thread.join }
        @handler.close
        @listener.close
      end

      def logged = Array.new(@log.size) { @log.pop }.join("\n")

      def address(path = "/") = "http://127.0.0.1:#{@port}#{path}"

      # Both versions of HTTP, with curl's option for each.
      VERSIONS = { "HTTP/2" => "--http2-prior-knowledge", "HTTP/1.1" => "--http1.1" }.freeze

      def curl(*arguments, input: "")
        out, err, status = Open3.capture3("curl", "-sS", "--max-time", TRANSFER.to_s, *arguments, stdin_data: input,
                                                                                                  binmode: true)
        assert_predicate status, :success?, err
        out
      end

      # Yields each version's name and curl's option for it.
      def each_version(&block) = VERSIONS.each(&block)

      def connect
        client = TCPSocket.new("127.0.0.1", @port)
        (@clients ||= []) << client
        client
      end

      # Sends bytes. Returns the response until the server disconnects or the text appears.
      def talk(bytes, until_text: nil)
        client = connect
        client.write(bytes)
        Timeout.timeout(SECONDS) { until_text ? read_until(client, until_text) : client.read }
      end

      def read_until(client, text)
        got = +"".b
        Timeout.timeout(SECONDS) { got << client.readpartial(65_536) until got.include?(text) }
        got
      end

      # Returns the next item, which another thread adds.
      def take(queue) = Timeout.timeout(SECONDS) { queue.pop }

      # Waits until the block is true.
      def eventually(message = nil)
        Timeout.timeout(SECONDS) { sleep 0.005 until yield }
      rescue Timeout::Error
        flunk(message || "it never happened")
      end
    end
  end
end
