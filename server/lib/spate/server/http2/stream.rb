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
      # A stream is made when it opens and forgotten when it is closed. A response that is whole before its request is
      # resets the stream (section 8.1), so half_closed_local is passed at once.
      class Stream
        # 1, 3, 5, ...; what we may send; what the peer may send; the request's IncomingBody, or nil.
        attr_reader :id, :window, :receive_window, :incoming, :state
        # Bytes that came and nobody read yet: they are missing in the connection's window.
        attr_reader :unread
        # Whether the stream waits in the sender's queue.
        attr_accessor :queued

        def initialize(id, send_window, receive_window)
          @id = id
          @window = FlowWindow.new(send_window)
          @receive_window = ReceiveWindow.new(receive_window)
          @state = :open
          @received = @unread = 0
          @queued = false
        end

        # The request's fields came. content_length: announced, or nil.
        def begin_request(content_length, incoming)
          @content_length = content_length
          @incoming = incoming
        end

        def remote_closed? = @state == :half_closed_remote || @state == :closed
        def closed? = @state == :closed

        # Bytes of the request's body. StreamError where they are more than were announced.
        def receive(bytes)
          @received += bytes.bytesize
          malformed if @content_length && @received > @content_length
          @unread += bytes.bytesize
          @incoming.push(bytes)
        end

        def read(count)
          @unread -= count
        end

        # END_STREAM came. StreamError where bytes are missing.
        def end_remote(trailers = {})
          malformed if @content_length && @received != @content_length
          @state = :half_closed_remote
          @incoming&.finish(trailers)
        end

        # The response's fields are sent, its body and what follows it are to be.
        def send_body(response)
          @response = response
        end

        def ready? = !@response.nil? && @window.open?

        # DATA of at most `limit` bytes. Answers the bytes.
        def produce(outbox, limit, max_frame)
          body = @response.body
          count = body.frames(outbox, @id, [limit, @window.size].min, @response.trailers.nil?, max_frame)
          @window.take(count)
          count
        end

        def sent? = @response.body.done?
        def trailers? = !@response.trailers.nil?
        def late_fields = @response.late_fields

        def close
          @state = :closed
          @response&.close
          @response = nil
        end

        private

        def malformed
          raise StreamError.new("content-length is #{@content_length}, #{@received} bytes came", Code::PROTOCOL_ERROR,
                                @id)
        end
      end
    end
  end
end
