# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP1
      # HTTP/1.1 on a connection: one request at a time. Later requests wait in the connection's input. Has the same
      # methods as HTTP2::Protocol.
      class Protocol
        # Bytes that are searched first for the end of a head. Most heads are shorter.
        FIRST_LOOK = 2048
        # If the write buffer has less free room, no further request is read, because its response might not fit.
        ROOM_FOR_ANSWER = 65_536
        # At most this many unread bytes of a body are discarded to reach the next request. If there are more, the
        # connection ends, and further input is discarded for a while so that the response reaches the client.
        UNWANTED = 1 << 18
        # Statuses of error responses after which the peer may still be sending.
        LINGERING = [413, 431].freeze

        # count: number of requests so far. received: received bytes of the current body. lingered: bytes discarded
        # after the last response.
        attr_reader :count, :received, :lingered

        def initialize(write_buffer, handler, limits, connection: Connection::Null::ONE, log: nil)
          @write_buffer = write_buffer
          @handler = handler
          @limits = limits
          @connection = connection
          @log = log
          @count = @received = @lingered = 0
          @budget = Limits::Budget.new(limits.frames_per_tick)
        end

        # Processes the bytes between two offsets. Returns the offset of the first unprocessed byte.
        def receive(buffer, from, to)
          @view = DataView.new(buffer) unless @view&.buffer.equal?(buffer)
          @budget.begin(@connection.active_at)
          @spent = false
          while from < to && !@finished
            break @spent = true if spent?

            taken = receive_some(from, to)
            break if taken.zero?

            from += taken
          end
          @finished ? to : from
        rescue BadRequest => e
          refuse(e)
          to
        end

        def produce = @exchange&.produce
        # Whether `produce` would write bytes, or unprocessed input waits for the next tick.
        def ready? = @spent || sends?
        def sends? = @exchange ? @exchange.ready? : false
        def busy? = !@exchange.nil? || !@reader.nil?
        # Whether more of a request's body follows.
        def body_follows? = !@reader.nil?
        def finished? = @finished || false

        # Responds with 408 if the client took too long. Returns whether the connection must be closed now.
        # now: monotonic time in seconds.
        def late?(now)
          reason = (@deadlines ||= Deadlines.new(@limits)).late(now, self) or return false
          return true if phase == :idle || phase == :lingering

          client_late? ? time_out(reason) : report(reason)
        end

        # Called when the peer closes its side. It may still read responses. more: whether there are unprocessed
        # bytes. Returns whether the connection continues.
        def ended(more)
          return false if @reader || @exchange.nil?

          more ? @ended = true : @tunnel&.finish
          @leaving = true
        end

        # Called when the server is stopping. A request in transit is still answered; it is the last one.
        def leave
          @leaving = @noticed = true
        end

        def leaving? = @leaving || false

        # Passes all further input to `incoming`, a Request::Body. Raises ArgumentError when a request's body is
        # incomplete.
        def tunnel(incoming)
          raise ArgumentError, "cannot open a tunnel before the request's body is complete" if @reader

          @tunnel = incoming
        end

        def close
          @window_quota&.give_back
          @incoming&.lose
          exchange, @exchange = @exchange, nil
          exchange&.close
        end

        # The following methods are for Deadlines.

        def phase
          return :lingering if @lingering
          return :busy if busy? || pending.positive?

          @begun ? :head : :idle
        end

        # Whether the server waits for more of the request's body.
        def asks? = !@reader.nil? && @incoming.size < window_quota.size
        # Whether a thread waits for the body, or other requests wait for its buffer space.
        def thread_waits? = !@reader.nil? && @incoming.reader_waits?
        def sent = @exchange ? @exchange.sent : 0
        def pending = @write_buffer.pending

        # The following methods are for the request's body. `spent?` takes one step from the tick's budget and returns
        # whether the budget is spent. `charge` limits input that has little or no content. cost: number of tokens.
        def spent? = @budget.spent?

        def charge(what, cost = 1)
          rate = @limits.control_frames_per_second
          @flood_limit ||= Limits::TokenBucket.new(@limits.control_frames, rate) do |reason|
            BadRequest.new(reason, 429)
          end
          @flood_limit.take(what, cost)
        end

        # The following methods are for the exchange.

        # Whether the connection may continue after this request, because the rest of the body can be discarded. A
        # client that waits for 100 Continue may never send the body.
        def continues?
          return false if @leaving
          return true if @reader.nil?

          !(@exchange&.hesitant? && @received.zero?) && (@reader.left.nil? || @reader.left <= UNWANTED)
        end

        # Called when the response is complete or cut off.
        def over(keep_alive)
          @exchange = nil
          return @finished = true unless keep_alive || @reader

          @lingering = true unless keep_alive
          return unless @reader

          @unwanted = @received + UNWANTED
          @incoming.discard
        end

        private

        def receive_some(from, to)
          return linger(to - from) if @lingering
          return receive_tunnel(from, to) if @tunnel

          @reader ? receive_body(from, to) : receive_head(from, to)
        end

        # Reads a request's head. The next request waits until the current one is answered.
        def receive_head(from, to)
          return 0 if @exchange || (@leaving && !@noticed) || !room?

          text = @view.get_bytes(from, [to - from, FIRST_LOOK].min)
          return skip(text) if text.start_with?("\r\n")

          @begun = true
          @head = text.start_with?("HEAD ")
          at = text.index(HeadScanner::LINES) || look_further(from, to) or return 0
          @ending = nil
          text = @view.get_bytes(from, at + 2) if at + 2 > text.bytesize
          begin_request(Head.new(text.byteslice(0, at + 2), @limits.header_fields))
          at + 4
        end

        # Whether another request may be read. None is read while the write buffer contains a file: the request might
        # hijack the connection, and the unsent output is handed over as bytes.
        def room? = Native::WriteBuffer::BYTES - @write_buffer.pending >= ROOM_FOR_ANSWER && !@write_buffer.files?

        # Skips empty lines before a request: RFC 9112, section 2.2.
        def skip(text)
          charge("empty lines before a request")
          text[/\A(?:\r\n)+/n].bytesize
        end

        def look_further(from, to) = (@ending ||= HeadScanner.new("head")).find(@view, from, to, @limits.header_bytes)

        def begin_request(head)
          @begun = false
          @count += 1
          @received = 0
          @unwanted = @incoming = nil
          begin_body(head) if head.body?
          @exchange = Exchange.new(self, @write_buffer, head, @incoming, @connection, @log)
          too_large if @limits.body && (head.length || 0) > @limits.body
          @exchange.request.handle(@handler, @log)
        end

        def begin_body(head)
          @reader = head.length ? SizedBody.new(head.length) : ChunkedBody.new(@limits, self)
          @incoming = Request::Body.new(head.length, connection: @connection) { nil }
        end

        # Whether a body may receive more bytes. If its handler does not read, the peer has to wait.
        def room_for?(body)
          window_quota.widen if body.size >= window_quota.size
          body.size < window_quota.size
        end

        def window_quota = @window_quota ||= Limits::WindowQuota.of(@connection, @limits, @limits.stream_window)

        def receive_body(from, to)
          return 0 unless room_for?(@incoming)

          count = @reader.take(@view, from, to) { |content| took(content) }
          end_body if @reader.done?
          count
        end

        def receive_tunnel(from, to)
          return 0 unless room_for?(@tunnel)

          @tunnel.push(@view.get_bytes(from, to - from))
          @tunnel.finish if @ended
          to - from
        end

        def took(content)
          @received += content.bytesize
          too_large if @limits.body && @received > @limits.body
          @lingering = true if @unwanted && @received > @unwanted

          @incoming.push(content)
        end

        def too_large = raise(BadRequest.new("a body of more than #{@limits.body} bytes", 413))

        def end_body
          trailers = @reader.trailers
          @reader = nil
          @incoming.finish(trailers)
          @finished = true if @leaving && @exchange.nil?
        end

        # Rejects a request that is invalid or exceeds a limit. If more of the request may arrive, the input is read for
        # a while so that the response reaches the client.
        def refuse(error)
          report(error.message, error.status)
          @incoming&.lose(error.message)
          exchange, @exchange = @exchange, nil
          answered = exchange ? exchange.answering? : @reader
          exchange&.close(:cancelled, error.status)
          unless answered
            @write_buffer.raw(ErrorResponse.text(error, head: @head))
            @lingering = true if LINGERING.include?(error.status)
          end
          @reader = nil
          @finished = true unless @lingering
        end

        # Whether the server waits for the peer, and a response can still be sent.
        def client_late? = phase == :head || (asks? && !@exchange.nil? && !@exchange.answering?)

        # Responds with 408 (RFC 9110, section 15.5.9). The connection's next tick sends the response.
        def time_out(reason)
          refuse(BadRequest.new(reason, 408))
          @connection.post { nil }
          !@connection.ticks?
        end

        def report(reason, code = nil)
          @connection.refused(reason, code)
          true
        end

        def linger(count)
          @lingered += count
          count
        end
      end
    end
  end
end
