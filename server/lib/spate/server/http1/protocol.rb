# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP1
      # A connection's HTTP/1.1: one request at a time, later ones wait in the connection. The same methods as
      # HTTP2::Protocol has.
      class Protocol
        END_OF_HEAD = "\r\n\r\n".b.freeze
        CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"
        # A chunk's frame: its length in hex and two line ends.
        CHUNK_EXTRA = 16

        def initialize(outbox, handler, limits, log: nil)
          @outbox = outbox
          @handler = handler
          @limits = limits
          @log = log
          @body_left = 0
        end

        # Answers where the bytes begin that were not taken.
        def receive(buffer, from, to)
          @view = DataView.new(buffer) unless @view&.buffer.equal?(buffer)
          while from < to && !@finished
            taken = @body_left.positive? ? receive_body(from, to) : receive_head(from, to)
            break if taken.zero?

            from += taken
          end
          @finished ? to : from
        rescue BadRequest => e
          refuse(e)
          to
        end

        def produce
          return unless @response&.body && @outbox.room.positive?

          body = @response.body
          @chunked ? produce_chunk(body) : body.raw(@outbox, @outbox.room)
          sent if body.done?
        rescue Body::Truncated, SystemCallError => e
          @log&.call("#{e.class}: #{e.message}")
          finish
        end

        def ready? = !@response.nil?
        def busy? = @answering
        def finished? = @finished

        def leave
          @leaving = true
          @finished = true unless @answering || @body_left.positive?
        end

        def leaving? = @leaving

        def close = @response&.close

        private

        # Between two requests only; the next one waits until this one is answered.
        def receive_head(from, to)
          return 0 if @answering

          text = @view.get_bytes(from, to - from)
          blank = text[/\A(\r\n)+/n]&.bytesize || 0 # section 2.2
          at = text.index(END_OF_HEAD, blank)
          if at.nil? || at > @limits.header_bytes
            return 0 if text.bytesize <= @limits.header_bytes

            raise BadRequest.new("a head of more than #{@limits.header_bytes} bytes", 431)
          end
          begin_request(Head.new(text.byteslice(blank, at - blank), @limits.header_fields))
          at + 4
        end

        def receive_body(from, to)
          count = [to - from, @body_left].min
          @body_left -= count
          @incoming.push(@view.get_bytes(from, count))
          @incoming.finish if @body_left.zero?
          count
        end

        def begin_request(head)
          @answering = true
          @head = head
          @body_left = head.length
          @incoming = head.length.positive? ? IncomingBody.new(head.length) : nil
          @outbox.raw(CONTINUE) if @incoming && head.headers["expect"]&.downcase == "100-continue"
          request = Request.new(verb: head.verb, target: head.target, headers: head.headers, authority: head.authority,
                                body: @incoming, version: head.version) { |response| respond(response) }
          response = @handler.call(request)
          request.answer(response) if response
        rescue StandardError => e
          raise if e.is_a?(BadRequest)

          @log&.call("#{head.target}: #{e.class}: #{e.message}")
          respond(Response.text(500, "The server failed.\n"))
        end

        def refuse(error)
          @log&.call("connection: #{error.message}")
          @outbox.raw("#{Reasons::LINES[error.status]}content-length: 0\r\nconnection: close\r\n\r\n")
          finish
        end

        # A handler that does not want the body: what is left of it is read and dropped.
        def respond(response)
          @incoming&.discard
          body = response.body unless @head.verb == "HEAD" || response.bodiless?
          @keep_alive = @head.keep_alive? && !@leaving
          write_head(response, body)
          @response = response
          sent if body.nil? || body.done?
        end

        def write_head(response, body)
          fields = Reasons::LINES[response.status].dup
          response.headers.each { |name, value| Array(value).each { |one| add(fields, name, one) } }
          add(fields, "date", HTTPDate.now) unless response.headers.key?("date")
          frame_body(fields, response, body)
          add(fields, "connection", @keep_alive ? "keep-alive" : "close") unless @keep_alive && @head.chunked_answers?
          @outbox.raw(fields << "\r\n")
        end

        def add(fields, name, value)
          raise ArgumentError, "the value of #{name} has a line break or a zero byte" if value.match?(/[\r\n\0]/)

          fields << name << ": " << value << "\r\n"
        end

        # Section 6.3: how the client finds the body's end.
        def frame_body(fields, response, body)
          @chunked = false
          return if response.bodiless? || response.headers.key?("content-length")
          return add(fields, "content-length", (body&.length || 0).to_s) if body.nil? || body.length

          @chunked = @head.chunked_answers?
          @chunked ? add(fields, "transfer-encoding", "chunked") : @keep_alive = false
        end

        # Section 7.1.
        def produce_chunk(body)
          until body.done? || (room = @outbox.room - CHUNK_EXTRA) <= 0
            count = [body.at_hand, room].min
            @outbox.raw("#{count.to_s(16)}\r\n")
            body.raw(@outbox, count)
            @outbox.raw("\r\n")
          end
        end

        def sent
          @outbox.raw("0\r\n\r\n") if @chunked
          @response.close
          @response = nil
          @answering = @chunked = false
          finish unless @keep_alive
        end

        def finish
          close
          @response = nil
          @answering = false
          @finished = true
        end
      end
    end
  end
end
