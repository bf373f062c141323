# frozen_string_literal: true

module Spate
  module Server
    # An HTTP/2 client that passes raw frames to a Protocol, without a socket.
    class Conversation
      Answer = Struct.new(:type, :flags, :stream, :payload) do
        def word(at = 0) = payload.byteslice(at, 4).unpack1("N")
      end

      attr_reader :protocol, :requests, :write_buffer, :log

      # Records requests. The block handles them; the default response is "ok".
      def initialize(limits: Limits.defaults, connection: Connection::Null::ONE, greet: true, &handler)
        @requests = []
        @log = []
        @write_buffer = Native::WriteBuffer.new([])
        handler ||= ->(_) { Response.text(200, "ok") }
        keep = lambda do |request|
          @requests << request
          handler.call(request)
        end
        log = ->(line) { @log << line }
        @protocol = HTTP2::Protocol.new(@write_buffer, keep, limits, connection: connection, log: log)
        @encoder = Native::HpackEncoder.new(4096)
        @decoder = Native::HpackDecoder.new(4096, 65_536, 65_536, 1000)
        @buffer = ArrayBuffer.new(1 << 20)
        @rest = "".b
        return unless greet

        send(HTTP2::PREFACE + frame(4))
        answers
      end

      def frame(type, flags = 0, stream = 0, payload = "") = Wire.frame(type, flags, stream, payload)

      def block(*fields) = @encoder.encode(fields)

      def get(path = "/", **fields)
        block(":method", "GET", ":scheme", "http", ":path", path, ":authority", "localhost",
              *fields.flat_map { |name, value| [name.to_s, value] })
      end

      def post(**fields)
        block(":method", "POST", ":scheme", "http", ":path", "/", ":authority", "localhost",
              *fields.flat_map { |name, value| [name.to_s.tr("_", "-"), value] })
      end

      # Opens a stream with HEADERS, by default with END_STREAM.
      def open(stream, payload = get, flags: 0x5) = send(frame(1, flags, stream, payload))

      # Passes bytes to the server. Bytes that it does not consume are passed again with the next call.
      def send(bytes)
        bytes = @rest + bytes
        Uint8Array.new(@buffer).set_bytes(0, bytes)
        from = @protocol.receive(@buffer, 0, bytes.bytesize)
        @rest = bytes.byteslice(from..)
        self
      end

      # Passes bytes to the server in as many ticks as needed. A tick ends after 5 ms of CPU time, in which a slow
      # machine processes fewer frames.
      def send_all(bytes)
        send(bytes)
        left = nil
        send("") until left == (left = @rest.bytesize)
        self
      end

      # Returns the server's output, as far as the windows allow.
      def answers
        out = "".b
        loop do
          @protocol.produce
          break if @write_buffer.empty?

          bytes = @write_buffer.to_s
          out << bytes
          @write_buffer.written(bytes.bytesize)
        end
        split(out)
      end

      def split(bytes)
        answers = []
        until bytes.empty?
          length, type, flags, stream = Wire.read_frame_header(bytes, 0, [])
          answers << Answer.new(type, flags, stream, bytes.byteslice(9, length))
          bytes = bytes.byteslice((9 + length)..)
        end
        answers
      end

      def fields(answer) = @decoder.decode(answer.payload, 0, answer.payload.bytesize, nil)
    end
  end
end
