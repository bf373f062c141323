# frozen_string_literal: true

require "io/wait"
require "socket"

module Spate
  module Server
    # A client of raw frames over a socket that does whatever it is told: for attacks. Reads what comes meanwhile,
    # unless it is not to.
    class AttackPeer
      include HTTP2

      # Seconds that a write may be stuck, and that an end is waited for.
      STUCK = 1.0

      # silent: nothing is read but at the end. seen: frames as [type, flags, stream, payload].
      attr_accessor :silent
      attr_reader :seen, :goaway

      def initialize(port)
        @socket = TCPSocket.new("127.0.0.1", port)
        @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true)
        @encoder = Native::HpackEncoder.new(4096)
        @rest = "".b
        @seen = []
      end

      # Without the greeting that otherwise precedes the first bytes.
      def bare
        @greeted = true
        self
      end

      def frame(type, flags = 0, stream = 0, payload = "") = Wire.frame(type, flags, stream, payload)
      def word(type, stream, number) = frame(type, 0, stream, [number].pack("N"))
      def settings(*pairs) = frame(4, 0, 0, pairs.flatten.pack("nN" * (pairs.flatten.size / 2)))
      def block(*fields, how: :plain) = @encoder.encode(fields, how)

      def request(stream, path = "/", *fields, verb: "GET", flags: 5)
        frame(1, flags, stream, block(":method", verb, ":scheme", "http", ":path", path, ":authority", "x", *fields))
      end

      def post(stream, path, *fields) = request(stream, path, *fields, verb: "POST", flags: 4)

      # Stops where the server takes no more for a while, or is gone.
      def write(bytes)
        bytes = greeting + bytes unless @greeted
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

      def over? = @gone || @closed || !@goaway.nil?

      # The GOAWAY that ended the connection; the polite one that names no stream of ours is none.
      def resets = @seen.select { |type,| type == 3 }.map { |_, _, stream, payload| [stream, payload.unpack1("N")] }

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

      # Whether the connection still works.
      def alive?
        write(frame(6, 0, 0, "areyou?!"))
        wait(2) { @seen.any? { |type, flags, _, payload| type == 6 && flags == 1 && payload == "areyou?!" } }
      end

      # The name of the code of GOAWAY, :closed without one, :open.
      def ending(seconds)
        @silent = false
        wait(seconds) { @goaway }
        return Code::NAMES[@goaway.unpack("NN").last] if @goaway

        @closed || @gone ? :closed : :open
      end

      def close = @socket.close

      private

      def greeting
        @greeted = true
        PREFACE + frame(4) + frame(4, 1)
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # DATA's bytes are not kept.
      def take(bytes)
        @rest << bytes
        at = 0
        while @rest.bytesize - at >= 9
          length, type, flags, stream = Wire.read_frame_header(@rest, at, [])
          break if @rest.bytesize - at - 9 < length

          note(type, flags, stream, type.zero? ? length : @rest.byteslice(at + 9, length))
          at += 9 + length
        end
        @rest = @rest.byteslice(at..)
      end

      def note(type, flags, stream, payload)
        @goaway = payload if type == 7
        @seen << [type, flags, stream, payload]
        @seen.shift(10_000) if @seen.size > 20_000
      end
    end
  end
end
