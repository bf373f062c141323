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
        # RFC 9218, section 4, as one small number: twice the urgency (0 first, 7 last), plus 1 when the response is
        # incremental, so that it shares the connection with others of its urgency. The default is urgency 3,
        # incremental: the peer may not know priorities, and its response must not wait for another one.
        DEFAULT_PRIORITY = 7

        # 1, 3, 5, ...; bytes that we may send, negative when the peer reduced its window (section 6.9.2); the request's
        # Request::Body, or nil.
        attr_reader :id, :window, :incoming, :state
        # Received bytes that are unread, and missing in the connection's window. Bytes of both bodies so far.
        attr_reader :unread, :received, :sent
        # Whether the stream is queued in the scheduler; its Request.
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

        # The peer enlarges the window. Returns its size.
        def widen(bytes) = @window += bytes

        # Made on demand, because most requests have no body.
        def receive_window = @receive_window ||= ReceiveWindow.new(@receive_size)

        # The request's fields arrived. content_length: announced, or nil.
        def begin_request(content_length, incoming)
          @content_length = content_length
          @incoming = incoming
        end

        def remote_closed? = @state == :half_closed_remote || @state == :closed
        def closed? = @state == :closed
        # Whether the response is complete, or will never be sent.
        def answered? = @state == :half_closed_local || @state == :closed

        def head? = @request&.head? || false

        # Bytes of the request's body. Raises StreamError when they exceed the announced length.
        def receive(bytes)
          @received += bytes.bytesize
          @unread += bytes.bytesize
          malformed if @content_length && @received > @content_length
          @incoming.push(bytes)
        end

        def read(count)
          @unread -= count
        end

        # END_STREAM arrived. Raises StreamError when bytes are missing.
        def end_remote(trailers = {})
          return if closed?

          malformed if @content_length && @received != @content_length
          @state = @state == :half_closed_local ? :closed : :half_closed_remote
          @incoming&.finish(trailers)
        end

        # The response's fields are sent; the body and trailers follow.
        def send_body(response)
          @response = response
          @body = response.body
          @waits = @body.respond_to?(:ready?)
        end

        # Whether there is something to send and room for it.
        def ready? = !@response.nil? && @window.positive? && (!@waits || @body.ready?)

        def answering? = !@response.nil?

        # Whether we wait for the peer to send the rest of its request.
        def asks? = !remote_closed? && @response.nil? && receive_window.open?
        # Whether a thread waits for that, or other requests wait for its buffer space.
        def thread_waits? = !remote_closed? && (@incoming&.awaited? || false)
        def stalled? = !@response.nil? && !@window.positive? && (!@waits || @body.ready?)

        # Whether a body from another thread has no more bytes, so that only its end is to be sent.
        def drained? = @waits && @body.drained?

        # Writes DATA of at most `limit` bytes. Returns the bytes.
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

        # The response was written completely.
        def sent_whole
          @whole = true
        end

        # The response is complete, the request is not. The rest is dropped, and counted.
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

        # Closes the response once, whether it was begun or not.
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
