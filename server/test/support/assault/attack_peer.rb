# frozen_string_literal: true

require_relative "attack_socket"

module Spate
  module Server
    # An HTTP/2 client that sends raw frames.
    class AttackPeer < AttackSocket
      include HTTP2

      # seen: received frames as [type, flags, stream, payload].
      attr_reader :seen, :goaway

      def initialize(port)
        super
        @encoder = Native::HpackEncoder.new(4096)
        @rest = "".b
        @seen = []
      end

      # Disables the preface that otherwise precedes the first bytes.
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

      def write(bytes)
        return super if @greeted

        @greeted = true
        super(PREFACE + frame(4) + frame(4, 1) + bytes)
      end

      def over? = super || !@goaway.nil?

      # Returns the RST_STREAM frames received, as [stream, error code].
      def resets = @seen.select { |type,| type == 3 }.map { |_, _, stream, payload| [stream, payload.unpack1("N")] }

      # Returns whether the connection still works.
      def alive?
        write(frame(6, 0, 0, "areyou?!"))
        wait(2) { @seen.any? { |type, flags, _, payload| type == 6 && flags == 1 && payload == "areyou?!" } }
      end

      # Returns the name of the error code of GOAWAY, :closed if there was none, or :open.
      def ending(seconds)
        @silent = false
        wait(seconds) { @goaway }
        return ErrorCode::NAMES[@goaway.unpack("NN").last] if @goaway

        @closed || @gone ? :closed : :open
      end

      private

      # Stores received frames; for DATA only the length.
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
