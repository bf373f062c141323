# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Header blocks and DATA become requests, responses become frames: RFC 9113, section 8.
      class Requests
        OWN_TABLE = 4096

        def initialize(protocol, handler, log: nil)
          limits = protocol.limits
          @protocol = protocol
          @streams = protocol.streams
          @outbox = protocol.outbox
          @limits = limits
          @handler = handler
          @log = log
          @decoder = Native::HpackDecoder.new(Protocol::TABLE_SIZE, limits.header_block, limits.header_bytes,
                                              limits.header_fields)
          @encoder = Native::HpackEncoder.new(OWN_TABLE)
        end

        # The peer's limit for our table.
        def header_table_size=(size)
          @encoder.settings(size)
        end

        # A whole header block. It is decoded whatever its stream's state is: the table must stay the peer's.
        def receive_block(id, end_stream, faulty, source, offset, length)
          stream = @streams[id]
          fields = @decoder.decode(source, offset, length, stream ? :trailers : :request)
          return receive_trailers(stream, end_stream, fields) if stream

          check_new(id) or return
          @streams.use(id)
          return if @protocol.leaving?

          check_request(id, faulty)
          open(id, end_stream, fields)
        end

        def receive_data(frame)
          stream = @streams[frame.stream]
          return receive_unexpected(frame, stream) if stream.nil? || stream.remote_closed?

          unless stream.receive_window.receive(frame.length)
            @protocol.consume_connection(frame.length)
            raise StreamError.new("more than the stream's window", Code::FLOW_CONTROL_ERROR, stream.id)
          end

          @protocol.consume_connection(frame.length - frame.content_length)
          offer(stream, frame.length - frame.content_length)
          stream.receive(@protocol.content(frame)) if frame.content_length.positive?
          stream.end_remote if frame.end_stream?
        end

        # The body went into the outbox, whole.
        def body_sent(stream)
          end_late(stream) if stream.trailers?
          finish(stream)
        end

        private

        def receive_trailers(stream, end_stream, fields)
          error(stream.id, "HEADERS after END_STREAM", Code::STREAM_CLOSED) if stream.remote_closed?
          error(stream.id, "a second header block without END_STREAM") unless end_stream
          error(stream.id, @decoder.malformed) if @decoder.malformed
          stream.end_remote(gather(fields))
        end

        # Sections 5.1 and 5.1.1. False: frames of a stream that we reset, still on their way.
        def check_new(id)
          raise ConnectionError, "a client opens stream #{id}" if id.even?
          return true if @streams.idle?(id)
          return false if @streams.reset_by_us?(id)

          raise ConnectionError.new("HEADERS on stream #{id}, which is closed", Code::STREAM_CLOSED)
        end

        def check_request(id, faulty)
          error(id, "stream #{id} depends on itself") if faulty
          error(id, @decoder.malformed) if @decoder.malformed && !@decoder.over?
          return if @streams.size < @limits.streams

          error(id, "more than #{@limits.streams} streams at once", Code::REFUSED_STREAM)
        end

        def error(id, reason, code = Code::PROTOCOL_ERROR) = raise(StreamError.new(reason, code, id))

        # DATA on a stream that is closed, or that the peer itself ended.
        def receive_unexpected(frame, stream)
          @protocol.check_not_idle(frame, "DATA")
          @protocol.consume_connection(frame.length)
          return if stream.nil? && @streams.reset_by_us?(frame.stream)

          error(frame.stream, "DATA after the stream's end", Code::STREAM_CLOSED)
        end

        def open(id, end_stream, fields)
          stream = Stream.new(id, @protocol.settings.initial_window_size, @limits.stream_window)
          @streams.add(stream)
          incoming = incoming_body(stream) unless end_stream
          stream.begin_request(@decoder.content_length, incoming)
          stream.end_remote if end_stream
          return respond(stream, Response.text(431, "The request's fields are too large.\n"), false) if @decoder.over?

          call(stream, fields, incoming)
        end

        def incoming_body(stream)
          IncomingBody.new(@decoder.content_length) do |count|
            next if stream.closed?

            stream.read(count)
            @protocol.consume_connection(count)
            offer(stream, count)
          end
        end

        # A stream that ended needs no window.
        def offer(stream, count)
          return if count.zero? || stream.remote_closed?

          more = stream.receive_window.consume(count)
          Frame::WindowUpdate.write(@outbox, stream.id, more) if more
        end

        def call(stream, fields, incoming)
          pseudo = {}
          headers = gather(fields, pseudo)
          head = pseudo[":method"] == "HEAD"
          request = Request.new(verb: pseudo[":method"], target: pseudo[":path"] || "", headers: headers,
                                scheme: pseudo[":scheme"], authority: pseudo[":authority"] || headers["host"],
                                body: incoming, version: "HTTP/2") { |answer| respond(stream, answer, head) }
          response = @handler.call(request)
          request.answer(response) if response
        rescue ConnectionError, StreamError
          raise
        rescue StandardError => e
          @log&.call("#{request&.target}: #{e.class}: #{e.message}")
          respond(stream, Response.text(500, "The server failed.\n"), head)
        end

        # [name, value, ...] as a Hash; pseudo-header fields into another.
        def gather(fields, pseudo = {})
          headers = {}
          index = 0
          while (name = fields[index])
            value = fields[index + 1]
            index += 2
            target = name.start_with?(":") ? pseudo : headers
            known = target[name]
            target[name] = known ? Request.join(name, known, value) : value
          end
          headers
        end

        def respond(stream, response, head)
          return response.close if stream.closed?

          body = response.body unless head || response.bodiless?
          ends = (body.nil? || body.done?) && response.trailers.nil?
          response.headers["date"] ||= HTTPDate.now unless response.headers.frozen?
          Frame::Headers.write(@outbox, stream.id, @encoder, response.status, response.headers, end_stream: ends)
          stream.send_body(response)
          return finish(stream) if ends
          return body_sent(stream) if body.nil? || body.done?

          @protocol.enqueue(stream)
        end

        def end_late(stream)
          late = stream.late_fields
          return Frame::Data.write(@outbox, stream.id, "", end_stream: true) if late.nil? || late.empty?

          Frame::Headers.write(@outbox, stream.id, @encoder, nil, late, end_stream: true)
        end

        # What the peer still sends of its request nobody wants any more: section 8.1.
        def finish(stream)
          return @streams.forget(stream.id) if stream.remote_closed?

          @protocol.reset(stream.id, Code::NO_ERROR)
        end
      end
    end
  end
end
