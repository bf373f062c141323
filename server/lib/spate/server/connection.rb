# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    # A socket and its protocol, which ALPN or the first bytes select. One tick is bounded: one read of the input's
    # size, a write buffer full of frames, one or two writes.
    class Connection
      autoload :LowWaterMark, "spate/server/connection/low_water_mark"
      autoload :Null, "spate/server/connection/null"
      autoload :Plain, "spate/server/connection/plain"
      autoload :TLS, "spate/server/connection/tls"
      autoload :Transport, "spate/server/connection/transport"

      READ = 1
      WRITE = 2
      ROUNDS = 4
      # Unprocessed bytes that are kept. Each read moves all of them, so the limit is low; a request's head must fit.
      REST = 65_536
      # By ALPN name.
      KINDS = { "h2" => HTTP2::Protocol, "http/1.1" => HTTP1::Protocol }.freeze

      # The socket's number; seconds (monotonic) of the last byte in either direction; the Limits; the peer's address,
      # nil for a Unix socket; the WindowPool that all connections share. interest: the events that the poller waits
      # for.
      attr_reader :descriptor, :active_at, :limits, :peer, :window_pool
      attr_accessor :interest

      # input: an ArrayBuffer that all connections of a reactor share. pool: of their write buffers' buffers.
      # reactor: runs blocks that other threads post. observer: records answered and refused requests.
      # window_pool: a Limits::WindowPool that all connections share.
      def initialize(transport, input:, pool:, handler:, limits:, window_pool:, reactor: nil, log: nil,
                     observer: nil)
        @transport = transport
        @descriptor = transport.descriptor
        @reactor = reactor
        @observer = observer
        @peer = transport.peer # raises when the peer is already gone
        @input = input
        @write_buffer = Native::WriteBuffer.new(pool)
        @handler = handler
        @limits = limits
        @window_pool = window_pool
        @log = log
        @rest = nil
        @most = [REST, 2 * limits.header_bytes].max
        @again = false
        @interest = READ
        @active_at = @opened_at = now
      end

      # From any thread: runs the block on the reactor's thread, and then a tick of this connection unless it is closed
      # by then.
      def post(&block) = @reactor.post(self, &block)

      # Whether this is the reactor's thread, the only one that may use the connection.
      def here? = @reactor.nil? || @reactor.here?

      def ticks? = true
      def scheme = @transport.scheme

      # Called by the protocols at the end of a request: the response's status (nil when none was sent), the bytes of
      # its body, and the seconds since the request arrived.
      def answered(request, status, bytes, seconds) = @observer&.answered(self, request, status, bytes, seconds)

      # Called by the protocols and the transport when the peer breaks a rule or exceeds a limit. code: the protocol's
      # error code, or nil.
      def refused(reason, code = nil)
        @observer ? @observer.refused(self, reason, code) : @log&.call("refused: #{reason}")
      end

      # state: READ, WRITE or both. Returns whether the connection stays open.
      def tick(state, now)
        @active_at = now if state != 0
        return false if @taker || (state & READ != 0 && (@ended || unasked?))

        clear = @write_buffer.empty?
        return false if (state & READ != 0 || @transport.pending?) && reading? && receive == :end && !half_open?

        pump(hold: clear && !@write_buffer.empty?)
      rescue SystemCallError => e
        refused("handshake: #{e.message}") unless @transport.ready?
        false
      end

      # The events that the poller should wait for. The poller does not see bytes that the transport has buffered: for
      # them it waits until the socket is writable, which is soon, and the next tick reads them.
      def wanted
        own = @transport.wanted
        return own if own != 0

        reading = reading?
        writing = @again || !@write_buffer.empty? || @protocol&.ready? || (reading && @transport.pending?)
        (reading ? READ : 0) | (writing ? WRITE : 0)
      end

      # now: seconds, monotonic. Whether the connection was silent for too long, or a phase of the transport or the
      # protocol exceeded its limit.
      def late?(now)
        return true if silent?(now) || @protocol&.late?(now)
        return false unless @transport.late?(now - @opened_at, @limits)

        refused("handshake: incomplete after #{(now - @opened_at).floor} s")
        true
      end

      # Hands over the socket. When the server has released it, the block is called with the socket and the unsent
      # output. Input that was read too early can be read from it again. Returns whether that is possible.
      def detach(&taker)
        @low_water_mark&.stop
        @socket = @transport.detach or return false
        @socket.ungetbyte(@rest) if @rest
        @taker = taker
        true
      end

      # The server is stopping: open requests, and those in transit, are still answered.
      def leave
        @leaving = true
        @protocol&.leave
        pump
      rescue SystemCallError
        nil # its next tick closes it
      end

      # Whether the peer sends a large body, so that the poller does not report a few bytes: it is read soon anyway.
      def bulk? = !@low_water_mark.nil? && @low_water_mark.on? && reading?

      def closed? = @closed
      def busy? = !@write_buffer.empty? || (@protocol&.busy? || false)

      def close
        unsent = @taker && @write_buffer.to_s
        @protocol&.close
      ensure # also when the protocol raises
        @write_buffer.clear
        @transport.close
        @closed = true
        @taker&.call(@socket, unsent)
      end

      private

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # The protocol has its own timeouts. An incomplete preface is late, not idle.
      def silent?(now)
        return false if @protocol

        now - @active_at > @limits.idle || (@rest && now - @opened_at > @limits.head_seconds)
      end

      # The poller reports a lost socket whether it is read or not, and again in every tick.
      def unasked? = @interest & READ == 0 && !bulk?

      # The peer has closed its side. Returns whether it still reads, and a response is pending.
      def half_open?
        @ended = @protocol&.ended(!@rest.nil?) || false
      end

      # Nothing is read while responses are unsent, or while the next request has to wait.
      def reading?
        return false if @ended || @protocol&.finished?

        room = Native::WriteBuffer::BYTES - @write_buffer.pending
        room > HTTP2::Protocol::ROOM_FOR_ANSWERS && (@rest.nil? || @rest.bytesize < @most)
      end

      def receive
        offset = @rest ? restore : 0
        count = @transport.receive(@input, offset)
        return :end if count == 0
        return @low_water_mark&.stop if count.nil?

        feed(offset + count)
        body = @protocol&.body_follows?
        (@low_water_mark ||= LowWaterMark.new(@transport)).note(count, body) if body || @low_water_mark
      end

      # An incomplete frame of the previous read comes first.
      def restore
        view.set_bytes(0, @rest)
        @rest.bytesize
      end

      def feed(length)
        @protocol ||= choose(length)
        from = @protocol ? @protocol.receive(@input, 0, length) : 0
        keep(from, length)
      end

      # The old String's memory is released at once, because a flood would allocate much before the next garbage
      # collection.
      def keep(from, length)
        before = @rest
        @rest = from < length ? view.get_bytes(from, length - from) : nil
        before&.clear
      end

      def view = @view ||= DataView.new(@input)

      # Chooses by ALPN, or by the first bytes: HTTP/2 begins with its preface, which is not a valid HTTP/1.1 request.
      def choose(length)
        kind = KINDS[@transport.protocol] || kind_of_bytes(length)
        kind&.new(@write_buffer, @handler, @limits, connection: self, log: @log)&.tap { |made| made.leave if @leaving }
      end

      def kind_of_bytes(length)
        preface = HTTP2::PREFACE
        start = @input.slice(0, [length, preface.bytesize].min).to_s
        return if start.bytesize < preface.bytesize && preface.start_with?(start)

        start == preface ? HTTP2::Protocol : HTTP1::Protocol
      end

      # Writes pending output first, then produces more. hold: the pending output is a response head from this tick,
      # which is sent together with what follows. Input that came too early (a pipelined request, or frames whose
      # responses did not fit) is processed in between, a few rounds a tick.
      def pump(hold: false)
        @again = false
        ROUNDS.times do
          break unless (hold || @transport.flush(@write_buffer)) && @protocol

          hold = false
          @again = round && !@rest.nil?
          break unless @again
        end
        !(@protocol&.finished? && @write_buffer.empty?)
      end

      # Returns whether it made progress.
      def round
        taken = @rest ? resume : 0
        @protocol.produce
        made = @write_buffer.pending
        @transport.flush(@write_buffer)
        taken.positive? || made.positive?
      end

      def resume
        length = restore
        from = @protocol.receive(@input, 0, length)
        keep(from, length) unless from.zero?
        from
      end
    end
  end
end
