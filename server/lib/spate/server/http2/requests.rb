# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Turns header blocks and DATA into requests (RFC 9113, section 8).
      class Requests
        # Entries that HpackDecoder#decode_request reserves for pseudo-header fields.
        PSEUDO = 4

        def initialize(protocol, handler, responses, log: nil)
          @protocol = protocol
          @window = protocol.window
          @streams = protocol.streams
          @write_buffer = protocol.write_buffer
          @limits = limits = protocol.limits
          @handler = handler
          @responses = responses
          @log = log
          @decoder = Native::HpackDecoder.new(Protocol::TABLE_SIZE, limits.header_block, limits.header_bytes,
                                              limits.header_fields)
        end

        # Handles a complete header block. It is decoded in every state of its stream, to keep the HPACK table in sync.
        def receive_block(id, end_stream, faulty, source, offset, length)
          stream = @streams[id]
          return receive_trailers(stream, end_stream, @decoder.decode(source, offset, length, :trailers)) if stream

          fields = @decoder.decode_request(source, offset, length)
          check_new(id) or return
          @streams.use(id)
          return @streams.remember_reset(id) if @protocol.leaving?

          check_request(id, faulty)
          open(id, end_stream, fields)
        end

        def receive_data(frame)
          @window.receive(frame.length)
          stream = @streams[frame.stream]
          return receive_unexpected(frame, stream) if stream.nil? || stream.remote_closed?

          unless stream.receive_window.receive(frame.length)
            @window.consume(frame.length)
            raise StreamError.new("more than the stream's window", ErrorCode::FLOW_CONTROL_ERROR, stream.id)
          end

          consume(stream, frame.length - frame.content_length)
          if !stream.answered? && too_large?(stream.received + frame.content_length)
            return too_large(stream, frame.content_length)
          end

          stream.receive(@protocol.data(frame)) if frame.content_length.positive?
          stream.end_remote if frame.end_stream?
          @responses.forget_ended(stream) if stream.answered?
        end

        private

        def receive_trailers(stream, end_stream, fields)
          error(stream.id, "HEADERS after END_STREAM", ErrorCode::STREAM_CLOSED) if stream.remote_closed?
          error(stream.id, "a second header block without END_STREAM") unless end_stream
          error(stream.id, @decoder.malformed) if @decoder.malformed
          error(stream.id, "trailers that are too large", ErrorCode::ENHANCE_YOUR_CALM) if @decoder.over?
          stream.end_remote(Request.gather(fields))
          @responses.forget_ended(stream) if stream.answered?
        end

        # Checks the identifier of a new stream (sections 5.1 and 5.1.1). Returns false if the server reset the stream
        # and its frames were still in transit.
        def check_new(id)
          raise ConnectionError, "a client opens stream #{id}" if id.even?
          return true if @streams.idle?(id)
          return false if @streams.reset_by_us?(id)

          code = @streams.skipped?(id) ? ErrorCode::PROTOCOL_ERROR : ErrorCode::STREAM_CLOSED
          raise ConnectionError.new("HEADERS on stream #{id}, which is closed", code)
        end

        def check_request(id, faulty)
          error(id, "stream #{id} depends on itself") if faulty
          error(id, @decoder.malformed) if @decoder.malformed && !@decoder.over?
          return if @streams.size < @limits.streams

          error(id, "more than #{@limits.streams} streams at once", ErrorCode::REFUSED_STREAM)
        end

        def error(id, reason, code = ErrorCode::PROTOCOL_ERROR) = raise(StreamError.new(reason, code, id))

        # Handles DATA on a stream that is closed, or that the peer has ended.
        def receive_unexpected(frame, stream)
          @protocol.check_not_idle(frame, "DATA")
          @window.consume(frame.length)
          return if stream.nil? && @streams.reset_by_us?(frame.stream)

          error(frame.stream, "DATA after the stream's end", ErrorCode::STREAM_CLOSED)
        end

        def open(id, end_stream, fields)
          stream = Stream.new(id, @protocol.settings.initial_window_size, @limits.stream_window)
          @streams.add(stream, @decoder.priority)
          @protocol.flood_limit.earn(Limits::TokenBucket::REQUEST_EARNS)
          incoming = incoming_body(stream) unless end_stream
          stream.begin_request(@decoder.content_length, incoming)
          stream.end_remote if end_stream
          return respond(stream, 431, "The request's fields are too large.") if @decoder.over?

          stream.request = request(stream, fields, incoming)
          return too_large(stream) if too_large?(@decoder.content_length || 0)

          stream.request.handle(@handler, @log)
        end

        def too_large?(bytes) = @limits.body && bytes > @limits.body

        # Rejects a body that exceeds the limit. count: bytes of the last frame, which were not passed on.
        def too_large(stream, count = 0)
          @window.consume(count)
          if stream.answering? || stream.answered?
            error(stream.id, "more than #{@limits.body} bytes",
                  ErrorCode::CANCEL)
          end

          respond(stream, 413, "More than #{@limits.body} bytes of content.")
        end

        def respond(stream, status, text) = @responses.respond(stream, Response.text(status, "#{text}\n"))

        def incoming_body(stream)
          Request::Body.new(@decoder.content_length, connection: @protocol.connection) do |count|
            next if stream.closed?

            stream.read(count)
            consume(stream, count)
          end
        end

        # Called when bytes are read. A stream that ended needs no window.
        def consume(stream, count)
          return if count.zero?

          @window.consume(count)
          more = stream.receive_window.consume(count) unless stream.remote_closed?
          Frame::WindowUpdate.write(@write_buffer, stream.id, more) if more
        end

        # fields: [method, path, scheme, authority, name, value, ...]; the names and values begin at PSEUDO.
        def request(stream, fields, incoming)
          authority = fields[3] || Request.gather(fields, PSEUDO)["host"]
          Request.received(verb: fields[0], target: fields[1] || "", scheme: fields[2], authority: authority,
                           fields: fields, first: PSEUDO, version: "HTTP/2", body: incoming,
                           connection: @protocol.connection, exchange: @responses, stream: stream)
        end
      end
    end
  end
end
