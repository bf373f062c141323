# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # One request and its response, on the reactor's thread.
      class Exchange
        CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"
        # Maximum overhead of a chunk in bytes: its length in hex and two line ends.
        CHUNK_EXTRA = 16

        # request: the Request. sent: bytes of the response body sent so far.
        attr_reader :request, :sent

        # head: the request's Head. incoming: its Request::Body, or nil.
        def initialize(protocol, write_buffer, head, incoming, connection, log)
          @protocol = protocol
          @write_buffer = write_buffer
          @asked = head
          @connection = connection
          @log = log
          @sent = 0
          @began = Server.now
          @request = Request.received(verb: head.verb, target: head.target, scheme: connection.scheme || "http",
                                      authority: head.authority, fields: head.fields, first: 0, version: head.version,
                                      body: incoming, connection: connection, exchange: self)
          incoming.on_wanted { invite } if incoming && head.expects?
        end

        # Whether there is something to send.
        def ready? = !@body.nil? && (!@waits || @body.ready?)

        # Whether the response head was sent.
        def answering? = !@response.nil?

        # Whether the client waits for 100 Continue and may never send its body.
        def hesitant? = @asked.expects? && !@invited

        # Whether the client is gone.
        def abandoned?(_stream) = @over || false

        # Called by Request. stream: unused, because HTTP/1.1 has no streams.
        def respond(_stream, response)
          return response.close(:cancelled) if @over || @response

          body = response.body unless @asked.head? || response.bodiless?
          return unless begin_response(response, body)

          @response = response
          @waits = body.respond_to?(:ready?)
          body.on_ready(@connection) { nil } if @waits
          return complete if body.nil?

          @body = body
          attempt { complete if body.done? }
        end

        # Interim responses are not sent to HTTP/1.0 clients (RFC 9110, section 15.2).
        def inform(_stream, status, headers)
          return if @over || @response || !@asked.chunked_answers?

          @write_buffer.raw("#{StatusLine::LINES[status]}#{ResponseHead.lines(headers)}\r\n")
        rescue ArgumentError, TypeError => e
          @log&.call("#{@request.target}: #{e.message}")
        end

        # Returns whether the connection's socket can be handed over.
        def hijack(_stream, &taker)
          return false if @over || @response

          @connection.detach(&taker)
        end

        # Fills the write buffer.
        def produce
          return unless ready? && @write_buffer.room.positive?

          attempt do
            @head.chunked? ? produce_chunks : produce_bytes
            complete if @body.done? || @sent == @head.length
          end
        end

        # error: why the exchange ended, or nil when the response was sent completely. status: the status of an error
        # response that was sent instead, or nil.
        def close(error = :cancelled, status = nil)
          return if @over

          @over = true
          response, @response = @response, nil
          @body = nil
          response&.close(error)
          @connection.answered(@request, response ? response.status : status, @sent, Server.now - @began)
        end

        private

        # Sends 100 Continue (RFC 9110, section 10.1.1).
        def invite
          return if @over || @response || @protocol.received.positive?

          @invited = true
          @write_buffer.raw(CONTINUE)
        end

        # Sends the response head. Returns false when the head cannot be sent and an error response was sent instead.
        def begin_response(response, body)
          @head = ResponseHead.new(@asked, response, body, @asked.keep_alive? && @protocol.continues?)
          @protocol.tunnel(response.tunnel) if response.tunnel
          @write_buffer.raw(@head.to_s)
          true
        rescue ArgumentError, TypeError => e
          response.close(e)
          raise ConnectionError, e.message if @failed

          @failed = true
          @log&.call("#{@request.target}: #{e.message}")
          respond(nil, Response.failure("connection" => "close"))
          false
        rescue StandardError => e # the write buffer has no room for the head
          response.close(e)
          raise
        end

        # Runs the block. If the response cannot be completed, closes the connection, so that the client notices.
        def attempt
          yield
        rescue ConnectionError
          raise
        rescue StandardError => e
          @log&.call("#{@request.target.b}: #{e.class}: #{e.message.b}") # as bytes, because the encodings may differ
          close(e)
          @protocol.over(false)
        end

        # Sends no more than the announced length, because the client would read further bytes as the next response.
        def produce_bytes
          limit = @write_buffer.room
          left = @head.length && (@head.length - @sent)
          limit = left if left && left < limit
          @sent += @body.raw(@write_buffer, limit)
          return if left.nil? || @sent < @head.length || @body.done?

          excess if !@waits || @body.at_hand.positive?
        end

        def excess
          @log&.call("#{@request.target}: the body is longer than its content-length, #{@head.length}")
          @excess = true
        end

        # Sends the body in chunks: RFC 9112, section 7.1.
        def produce_chunks
          until @body.done? || (@waits && !@body.ready?) || (room = @write_buffer.room - CHUNK_EXTRA) <= 0
            count = [@body.at_hand, room].min
            next @body.raw(@write_buffer, 0) if count.zero? # lets the body report its end or raise its error

            @write_buffer.raw("#{count.to_s(16)}\r\n")
            @body.raw(@write_buffer, count)
            @write_buffer.raw("\r\n")
            @sent += count
          end
        end

        def complete
          if @body && @head.length && @sent < @head.length
            raise Response::Body::Truncated, "the body ends after #{@sent} of #{@head.length} bytes"
          end

          late = @head.chunked? && @body && @response.late_fields
          @write_buffer.raw("0\r\n#{late ? ResponseHead.lines(late) : ""}\r\n") if @head.chunked? && @body
          close(nil)
          @protocol.over(@head.keep_alive? && !@excess)
        end
      end
    end
  end
end
