# frozen_string_literal: true

require "io/wait"
require "socket"

module Spate
  module Server
    # A socket for attacks that writes any bytes. Reads incoming bytes meanwhile, unless disabled.
    class AttackSocket
      # Seconds that a write may be stuck, and that an end is waited for.
      STUCK = 1.0

      # silent: nothing is read but at the end.
      attr_accessor :silent
      attr_reader :port

      def initialize(port)
        @port = port
        @socket = TCPSocket.new("127.0.0.1", port)
        @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true)
      end

      # Stops where the server takes no more for a while, or is gone.
      def write(bytes)
        until bytes.empty? || over?
          count = @socket.write_nonblock(bytes, exception: false)
          next bytes = bytes.byteslice(count..) if count.is_a?(Integer)

          read unless @silent
          return @stuck = true unless @socket.wait_writable(STUCK)
        end
      rescue SystemCallError
        @gone = true
      end

      # `count` times what the block makes, in large writes; ends early when the connection does.
      def flood(count)
        bytes = "".b
        count.times do |n|
          bytes << yield(n)
          next if bytes.bytesize < 32_768

          write(bytes)
          bytes = "".b
          read unless @silent
          break if over? || @stuck
        end
        write(bytes)
      end

      # So many times, with a pause behind each.
      def every(pause, times)
        times.times do |n|
          break if over?

          write(yield(n))
          sleep pause
          read
        end
      end

      # A byte at a time; seconds between them.
      def dribble(bytes, pause, seconds)
        stop = now + seconds
        bytes.each_char do |byte|
          write(byte)
          read
          break if over? || now > stop

          sleep pause
        end
      end

      def over? = @gone || @closed || false

      # Takes what is there.
      def read
        loop do
          bytes = @socket.read_nonblock(65_536, exception: false)
          return if bytes == :wait_readable
          return @closed = true if bytes.nil?

          take(bytes)
        end
      rescue SystemCallError
        @closed = true
      end

      # Reads until the block is content, or the time is over.
      def wait(seconds = STUCK)
        stop = now + seconds
        loop do
          read
          return true if yield
          return false if @closed || now > stop

          @socket.wait_readable([stop - now, 0.001].max)
        end
      end

      def close = @socket.close

      private

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
