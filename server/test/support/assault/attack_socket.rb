# frozen_string_literal: true

require "io/wait"
require "socket"

module Spate
  module Server
    # A socket for attacks that sends any bytes. Reads received bytes between writes, unless silent.
    class AttackSocket
      # Seconds before a blocked write is abandoned, and the default timeout of `wait`.
      STUCK = 1.0

      # silent: read only at the end.
      attr_accessor :silent
      attr_reader :port

      def initialize(port)
        @port = port
        @socket = TCPSocket.new("127.0.0.1", port)
        @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true)
      end

      # Writes all bytes, unless the server does not read for STUCK seconds or has disconnected.
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

      # Sends `count` results of the block in large writes. Stops when the connection ends.
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

      # Sends `times` results of the block, with a pause after each.
      def every(pause, times)
        times.times do |n|
          break if over?

          write(yield(n))
          sleep pause
          read
        end
      end

      # Sends a byte at a time. pause, seconds: between two bytes, and in total.
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

      # Reads the available bytes.
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

      # Reads until the block returns true or the time is over.
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
