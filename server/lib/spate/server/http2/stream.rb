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
      # A Stream is created when it opens and forgotten when it is closed. If the response is complete before the
      # request, the stream is half_closed_local for a while: see Responses#finish.
      class Stream
        # A priority (RFC 9218, section 4) is one number: twice the urgency (0 is the most urgent, 7 the least), plus 1
        # for an incremental response. Incremental responses of the same urgency share the connection. The default is
        # urgency 3, incremental, so that the responses of a peer without priorities do not wait for each other.
        DEFAULT_PRIORITY = 7

        # id: 1, 3, 5, ... window: the bytes that the server may send, negative if the peer reduced its window (section
        # 6.9.2). incoming: the request's Request::Body, or nil.
        attr_reader :id, :window, :incoming, :state
        # unread: received bytes that were not read yet and reduce the connection's window. received, sent: bytes of the
        # two bodies so far.
        attr_reader :unread, :received, :sent
        # queued: whether the stream is in the scheduler's queue. request: the stream's Request.
        attr_accessor :queued, :request, :priority

        def initialize(id, send_window, receive_window)
          @id = id
          @window = send_window
          @receive_size = receive_window
          @state = :open
          @received = @unread = @sent = 0
          @began = Server.now
          @queued = false
        end

        def urgency = @priority >> 1
        def incremental? = @priority.odd?

        # Called when the peer enlarges the window. Returns the new size.
        def widen(bytes) = @window += bytes

        # Created on demand, because most requests have no body.
        def receive_window = @receive_window ||= ReceiveWindow.new(@receive_size)

        # Called when the request's fields arrive. content_length: the announced length, or nil.
        def begin_request(content_length, incoming)
          @content_length = content_length
          @incoming = incoming
        end

        def remote_closed? = @state == :half_closed_remote || @state == :closed
        def closed? = @state == :closed
        # Whether the response is complete, or will never be completed.
        def answered? = @state == :half_closed_local || @state == :closed

        def head? = @request&.head? || false

        # Receives bytes of the request's body. Raises StreamError when they exceed the announced length.
        def receive(bytes)
          @received += bytes.bytesize
          @unread += bytes.bytesize
          malformed if @content_length && @received > @content_length
          @incoming.push(bytes)
        end

        def read(count)
          @unread -= count
        end

        # Called when END_STREAM arrives. Raises StreamError when bytes of the announced length are missing.
        def end_remote(trailers = {})
          return if closed?

          malformed if @content_length && @received != @content_length
          @state = @state == :half_closed_local ? :closed : :half_closed_remote
          @incoming&.finish(trailers)
        end

        # Called when the response's fields are sent. The body and trailers follow.
        def send_body(response)
          @response = response
          @body = response.body
          @waits = @body.respond_to?(:ready?)
        end

        # Whether there are bytes to send and the window has room for them.
        def ready? = !@response.nil? && @window.positive? && (!@waits || @body.ready?)

        def answering? = !@response.nil?

        # Whether the server waits for the rest of the request.
        def asks? = !remote_closed? && @response.nil? && receive_window.open?
        # Whether a thread waits for the rest of the request, or other requests wait for the buffer space of its body.
        def thread_waits? = !remote_closed? && (@incoming&.reader_waits? || false)
        def stalled? = !@response.nil? && !@window.positive? && (!@waits || @body.ready?)

        # Whether a body from another thread has no more bytes, so that only its end needs to be sent.
        def drained? = @waits && @body.drained?

        # Writes DATA of at most `limit` bytes. Returns the number of bytes.
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

        # Called when the response is written completely.
        def sent_whole
          @whole = true
        end

        # Called when the response is complete, but the request is not. The rest of the request is discarded, but still
        # counted.
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

        # Closes the response, and reports the request once, even if no response was started.
        def settle
          response, @response = @response, nil
          response&.close(@whole ? nil : :cancelled)
          return if @settled

          @settled = true
          observe(response&.status) if @request
        end

        def observe(status)
          @request.connection.answered(@request, status, @sent, Server.now - @began)
        end

        def malformed
          raise StreamError.new("content-length is #{@content_length}, but #{@received} bytes were received",
                                ErrorCode::PROTOCOL_ERROR, @id)
        end
      end
    end
  end
end
