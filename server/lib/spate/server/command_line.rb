# frozen_string_literal: true

require "optparse"
require "socket"
require "spate/error"

module Spate
  module Server
    # `spate-serve DIR`: argv and two streams in, an exit code out.
    class CommandLine
      USAGE = "usage: spate-serve DIR [--host ADDRESS] [--port NUMBER]"

      def initialize(argv, out: $stdout, err: $stderr)
        @argv = argv
        @out = out
        @err = err
        @host = "127.0.0.1"
        @port = 8080
      end

      def run
        folder = parse or return 0
        serve(folder)
      rescue OptionParser::ParseError, UsageError => e
        @err.puts "error: #{e.message}", USAGE
        2
      rescue Spate::Error => e
        @err.puts "error: #{e.message}", *(e.hint && "hint: #{e.hint}")
        e.exit_code
      end

      private

      # The folder, or nil where help was asked for.
      def parse
        names = options.parse(@argv)
        return @out.puts(options.help) if @help
        raise UsageError, "one folder is to be named" if names.size != 1

        names.first
      end

      def options
        @options ||= OptionParser.new do |parser|
          parser.banner = USAGE
          parser.separator "\nServes the files of a folder over HTTP/2 (prior knowledge) and HTTP/1.1.\n\n"
          parser.on("--host ADDRESS", "address to listen on (#{@host})") { |value| @host = value }
          parser.on("--port NUMBER", Integer, "port to listen on, 0 for any (#{@port})") { |value| @port = value }
          parser.on("-h", "--help", "this help") { @help = true }
        end
      end

      def serve(folder)
        handler = Files.new(folder)
        listener = listen
        reactor = Reactor.new(listener, handler, log: ->(line) { @err.puts line })
        %w[INT TERM].each { |name| Signal.trap(name) { reactor.stop } }
        @err.puts "serving #{File.realpath(folder)} on #{address(listener)}"
        reactor.run
        0
      end

      def listen
        TCPServer.new(@host, @port).tap { |listener| listener.listen(1024) }
      rescue SystemCallError, SocketError => e
        raise Error.new("#{@host}:#{@port}: #{e.message}", hint: "choose another --host or --port")
      end

      def address(listener)
        host = listener.local_address.ipv6? ? "[#{listener.local_address.ip_address}]" : @host
        "http://#{host}:#{listener.local_address.ip_port}"
      end
    end
  end
end
