# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP1
      # The HTTP/1.1 of a connection: one request at a time; later ones wait in the connection. Has the same methods as
      # HTTP2::Protocol.
      class Protocol
        # Most heads are shorter.
        FIRST_LOOK = 2048
        # With less free room in the write buffer, no further request is read: its response might not fit.
        ROOM_FOR_ANSWER = 65_536
        # Up to so many unread bytes of a body are discarded, because the next request follows them. With more, the
        # connection ends, and further input is discarded for a while so that the response reaches the client.
        UNWANTED = 1 << 18
        # Error statuses after which the peer may still be sending.
        LINGERING = [413, 431].freeze

        # Requests so far; received bytes of the current body; bytes discarded after the last response.
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

        # Returns the offset of the first unprocessed byte.
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
        # Whether `produce` would write something, or bytes wait for the next tick.
        def ready? = @spent || sends?
        def sends? = @exchange ? @exchange.ready? : false
        def busy? = !@exchange.nil? || !@reader.nil?
        # Whether more of a request's body follows.
        def body_follows? = !@reader.nil?
        def finished? = @finished || false

        # now: seconds, monotonic. Whether a phase took too long.
        def late?(now)
          reason = (@deadlines ||= Deadlines.new(@limits)).late(now, self) or return false
          return true if phase == :idle || phase == :lingering

          awaited? ? time_out(reason) : told(reason)
        end

        # The peer sends no more, but may still read responses. more: whether unprocessed bytes wait. Returns whether
        # the connection continues.
        def ended(more)
          return false if @reader || @exchange.nil?

          more ? @ended = true : @tunnel&.finish
          @leaving = true
        end

        # A request in transit is still answered, and is the last one.
        def leave
          @leaving = @noticed = true
        end

        def leaving? = @leaving || false

        # All further input belongs to the tunnel. Raises ArgumentError when a request's body is incomplete. incoming: a
        # Request::Body.
        def tunnel(incoming)
          raise ArgumentError, "a tunnel before the request is whole" if @reader

          @tunnel = incoming
        end

        def close
          @window_quota&.give_back
          @incoming&.lose
          exchange, @exchange = @exchange, nil
          exchange&.close
        end

        # For Deadlines: the current phase.

        def phase
          return :lingering if @lingering
          return :busy if busy? || pending.positive?

          @begun ? :head : :idle
        end

        # Whether more of the request's body is expected from the peer.
        def asks? = !@reader.nil? && @incoming.size < window_quota.size
        # Whether a thread waits for the body, or other requests wait for its buffer space.
        def thread_waits? = !@reader.nil? && @incoming.awaited?
        def sent = @exchange ? @exchange.sent : 0
        def pending = @write_buffer.pending

        # Called by the request's body: spent? counts a step of this tick, charge counts input without content. cost:
        # its weight.
        def spent? = @budget.spent?

        def charge(what, cost = 1)
          rate = @limits.control_frames_per_second
          @flood_limit ||= Limits::TokenBucket.new(@limits.control_frames, rate) do |reason|
            BadRequest.new(reason, 429)
          end
          @flood_limit.take(what, cost)
        end

        # Called by the exchange.

        # Whether the connection may continue after this request: the rest of its body can be discarded. A client that
        # waits for 100 Continue may never send it.
        def continues?
          return false if @leaving
          return true if @reader.nil?

          !(@exchange&.hesitant? && @received.zero?) && (@reader.left.nil? || @reader.left <= UNWANTED)
        end

        # The response is complete, or was cut off.
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

        # Only between two requests; the next one waits until this one is answered.
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

        # Nothing is read while a file is being sent, because a hijacked connection gets unsent output as bytes.
        def room? = Native::WriteBuffer::BYTES - @write_buffer.pending >= ROOM_FOR_ANSWER && !@write_buffer.files?

        # Section 2.2.
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

        # A handler that does not read stops its peer.
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

        # Rejects a request that is invalid or exceeds a limit. When more of it may arrive, that is read for a while so
        # that the response reaches the client.
        def refuse(error)
          told(error.message, error.status)
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

        # Whether we wait for the peer, and a response can still be sent.
        def awaited? = phase == :head || (asks? && !@exchange.nil? && !@exchange.answering?)

        # RFC 9110, section 15.5.9. The connection's tick sends it.
        def time_out(reason)
          refuse(BadRequest.new(reason, 408))
          @connection.post { nil }
          !@connection.ticks?
        end

        def told(reason, code = nil)
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
