# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # One request and its response: RFC 9113, section 5.1, without push.
      #
      #                        idle
      #                         |
      #                         | recv HEADERS
      #                         v
      #         recv END_STREAM | send END_STREAM
      #            .----------open-----------.
      #            v            |            v
      #     half_closed_remote  |    half_closed_local
      #            |            |            |
      #            | send         send or      | recv
      #            | END_STREAM   recv         | END_STREAM
      #            |              RST_STREAM   |
      #            |            v            |
      #            '--------> closed <-------'
      #
      # A stream is made when it opens and forgotten when it is closed. A response that is whole before its request
      # leaves it half_closed_local for a while: see Responses#finish.
      class Stream
        # RFC 9218, section 4, as one small number: twice the urgency (0 first, 7 last), and 1 where the response is
        # incremental: parts of it are of use, so it shares the connection with others of its urgency. Without a signal
        # urgency 3; it shares, since its peer may not know of priorities at all and must not wait for another response.
        DEFAULT_PRIORITY = 7

        # 1, 3, 5, ...; bytes that we may send, below zero where the peer took back what it offered (section 6.9.2); the
        # request's Request::Body, or nil.
        attr_reader :id, :window, :incoming, :state
        # Bytes that came and nobody read yet: they are missing in the connection's window. Bytes of both bodies so far.
        attr_reader :unread, :received, :sent
        # Whether the stream is queued in the scheduler; the Request that it carries.
        attr_accessor :queued, :request, :priority

        def initialize(id, send_window, receive_window)
          @id = id
          @window = send_window
          @receive_size = receive_window
          @state = :open
          @received = @unread = @sent = 0
          @began = now
          @queued = false
        end

        def urgency = @priority >> 1
        def incremental? = @priority.odd?

        # The peer takes so many bytes more. Answers what it takes now.
        def widen(bytes) = @window += bytes

        # Most requests have no body.
        def receive_window = @receive_window ||= ReceiveWindow.new(@receive_size)

        # The request's fields came. content_length: announced, or nil.
        def begin_request(content_length, incoming)
          @content_length = content_length
          @incoming = incoming
        end

        def remote_closed? = @state == :half_closed_remote || @state == :closed
        def closed? = @state == :closed
        # Whether the response is through, or will never be.
        def answered? = @state == :half_closed_local || @state == :closed

        def head? = @request&.head? || false

        # Bytes of the request's body. StreamError where they are more than were announced.
        def receive(bytes)
          @received += bytes.bytesize
          @unread += bytes.bytesize
          malformed if @content_length && @received > @content_length
          @incoming.push(bytes)
        end

        def read(count)
          @unread -= count
        end

        # END_STREAM came. StreamError where bytes are missing.
        def end_remote(trailers = {})
          return if closed?

          malformed if @content_length && @received != @content_length
          @state = @state == :half_closed_local ? :closed : :half_closed_remote
          @incoming&.finish(trailers)
        end

        # The response's fields are sent, its body and what follows it are to be.
        def send_body(response)
          @response = response
          @body = response.body
          @waits = @body.respond_to?(:ready?)
        end

        # Whether there is something to send and room for it.
        def ready? = !@response.nil? && @window.positive? && (!@waits || @body.ready?)

        def answering? = !@response.nil?

        # Whose turn it is: the peer's, for the rest of its request, or for room for the response.
        def asks? = !remote_closed? && @response.nil? && receive_window.open?
        # And a thread waits for it, or others for the room that it takes.
        def thread_waits? = !remote_closed? && (@incoming&.awaited? || false)
        def stalled? = !@response.nil? && !@window.positive? && (!@waits || @body.ready?)

        # A body of another thread's that has no more bytes, and whose end is still to be told.
        def drained? = @waits && @body.drained?

        # DATA of at most `limit` bytes. Answers the bytes.
        def produce(write_buffer, limit)
          limit = @window if @window < limit
          count = @body.frames(write_buffer, @id, limit, @response.trailers.nil?)
          @window -= count
          @sent += count
          count
        end

        def sent? = @body.done?
        def trailers? = !@response.trailers.nil?
        def late_fields = @response.late_fields

        # The response went into the write buffer to its end.
        def sent_whole
          @whole = true
        end

        # The response is through, the request is not. What still comes is dropped, and counted.
        def end_local
          @state = :half_closed_local
          @incoming.discard
          settle
        end

        def close
          @state = :closed
          @incoming&.lose
          settle
        end

        private

        # Told once, whether an answer began or not.
        def settle
          response, @response = @response, nil
          response&.close(@whole ? nil : :cancelled)
          return if @settled

          @settled = true
          observe(response&.status) if @request
        end

        def observe(status)
          @request.connection.answered(@request, status, @sent, now - @began)
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

        def malformed
          raise StreamError.new("content-length is #{@content_length}, #{@received} bytes came",
                                ErrorCode::PROTOCOL_ERROR, @id)
        end
      end
    end
  end
end
