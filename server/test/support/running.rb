# frozen_string_literal: true

require "open3"
require "rbconfig"
require "socket"
require "timeout"

module Spate
  module Server
    # Runs spate-serve as a process on a free port, for tests with real clients.
    module Running
      COMMAND = [RbConfig.ruby, File.expand_path("../../exe/spate-serve", __dir__)].freeze
      SECONDS = 30

      # wrapper: words before the command. env: variables of the process.
      def serve(root, *options, wrapper: [], env: {}, **streams)
        reader, writer = IO.pipe
        @server = Process.spawn(env, *wrapper, *COMMAND, root, "--port", "0", *options, err: writer, **streams)
        writer.close
        line = Timeout.timeout(SECONDS) { reader.gets }
        @log = reader
        @port = line.to_s[/:(\d+)$/, 1] or flunk("spate-serve did not start: #{line}")
      end

      def teardown
        stop if @server
        super
      end

      # Stops the server. Returns its exit code and its log.
      def stop(signal = :TERM)
        Process.kill(signal, @server)
        Timeout.timeout(SECONDS) { Process.wait(@server) }
        @server = nil
        [$?.exitstatus, @log.read]
      ensure
        @log.close
      end

      def address(path = "/") = "http://127.0.0.1:#{@port}#{path}"

      def client(program, *arguments)
        path = ENV["PATH"].split(":").map { |folder| File.join(folder, program) }.find { |file| File.executable?(file) }
        skip "#{program} is not installed" unless path

        client_at(path, *arguments)
      end

      def client_at(path, *arguments)
        output, status = Open3.capture2e("timeout", SECONDS.to_s, path, *arguments, binmode: true)
        assert_predicate status, :success?, output
        output
      end

      # Sends bytes. Returns the response until the server disconnects.
      def raw(bytes)
        socket = TCPSocket.new("127.0.0.1", @port)
        socket.write(bytes)
        Timeout.timeout(SECONDS) { socket.read }
      ensure
        socket&.close
      end
    end
  end
end
