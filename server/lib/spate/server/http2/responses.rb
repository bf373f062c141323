# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Turns handlers' responses into frames (RFC 9113, section 8).
      class Responses
        OWN_TABLE = 4096

        def initialize(protocol, log: nil)
          @protocol = protocol
          @streams = protocol.streams
          @scheduler = protocol.scheduler
          @write_buffer = protocol.write_buffer
          @log = log
          @encoder = Native::HpackEncoder.new(OWN_TABLE)
        end

        # Sets the peer's limit for the server's HPACK table.
        def header_table_size=(size)
          @encoder.settings(size)
        end

        # Called by Request with the handler's response. Closes the response if the stream already has one.
        def respond(stream, response)
          return response.close(:cancelled) if stream.answered?

          body = response.body unless stream.head? || response.bodiless?
          ends = (body.nil? || body.done?) && response.trailers.nil?
          begin_response(stream, response, ends) or return
          return finish(stream) if ends
          return body_sent(stream) if body.nil? || body.done? || sent_at_once?(stream, body.length)

          return @scheduler.enqueue(stream) unless body.respond_to?(:on_ready)

          body.on_ready(@protocol.connection) { wake(stream) }
          wake(stream)
        end

        # Sends an interim response: section 8.1.
        def inform(stream, status, headers)
          return if stream.answered?

          Frame::Headers.write(@write_buffer, stream.id, @encoder, status, headers, end_stream: false)
        rescue ArgumentError, TypeError => e
          @log&.call("stream #{stream.id}: #{e.message}")
        end

        # Called by Request: whether the peer reset its request, or is gone.
        def abandoned?(stream) = stream.closed?

        # Called when the body is written completely.
        def body_sent(stream)
          end_late(stream) if stream.trailers?
          finish(stream)
        end

        # Called when the body cannot be completed.
        def failed(stream, error)
          @log&.call("stream #{stream.id}: #{error.class}: #{error.message}")
          @streams.reset(stream.id, ErrorCode::INTERNAL_ERROR)
        end

        # Returns false, because the connection does not belong to a single request.
        def hijack(_stream) = false

        # Forgets a stream whose request is complete and answered.
        def forget_ended(stream) = stream.closed? && @streams.forget(stream.id)

        private

        # Sends the response's fields. Returns false when they cannot be sent and an error response was sent instead.
        def begin_response(stream, response, ends)
          response.check
          fields = dated(response.headers)
          Frame::Headers.write(@write_buffer, stream.id, @encoder, response.status, fields, end_stream: ends)
          stream.send_body(response)
          true
        rescue ArgumentError, TypeError => e
          @log&.call("stream #{stream.id}: #{e.message}")
          response.close(e)
          respond(stream, Response.failure)
          false
        rescue StandardError => e # the write buffer has no room for the fields
          response.close(e)
          raise
        end

        # length: length of the body, or nil when unknown.
        def sent_at_once?(stream, length) = !length.nil? && @scheduler.at_once(stream, length) && stream.sent?

        def dated(headers)
          return headers if headers.key?("date")
          return headers.merge("date" => Response::HTTPDate.now) if headers.frozen?

          headers["date"] = Response::HTTPDate.now
          headers
        end

        # Called when a body from another thread has bytes, ends or fails. The end of a body needs no window.
        def wake(stream)
          return if stream.closed?
          return @scheduler.enqueue(stream) unless stream.drained?

          stream.produce(@write_buffer, 0)
          body_sent(stream)
        rescue StandardError => e
          raise if e.is_a?(Server::ConnectionError)

          failed(stream, e)
        end

        def end_late(stream)
          late = stream.late_fields
          return Frame::Data.write(@write_buffer, stream.id, "", end_stream: true) if late.nil? || late.empty?

          Frame::Headers.write(@write_buffer, stream.id, @encoder, nil, late, end_stream: true)
        end

        # Ends a response that was written completely. The rest of an incomplete request is not needed (RFC 9113,
        # section 8.1) and is dropped. The class Deadlines later resets a peer that keeps sending. This is not done at
        # once, because some clients treat a reset together with the response as an error.
        def finish(stream)
          stream.sent_whole
          return @streams.forget(stream.id) if stream.remote_closed?

          stream.end_local
          forget_ended(stream)
        end
      end
    end
  end
end
