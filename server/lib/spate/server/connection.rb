# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    # A socket and its protocol, which is selected by ALPN or by the first bytes. One tick does a limited amount of
    # work: one read, and at most ROUNDS rounds of processing and writing.
    class Connection
      autoload :LowWaterMark, "spate/server/connection/low_water_mark"
      autoload :Null, "spate/server/connection/null"
      autoload :Plain, "spate/server/connection/transport"
      autoload :Proxied, "spate/server/connection/proxied"
      autoload :TLS, "spate/server/connection/tls"
      autoload :Transport, "spate/server/connection/transport"

      READ = 1
      WRITE = 2
      ROUNDS = 4
      # Maximum number of unprocessed bytes that are kept between reads. The limit is low, because each read copies
      # these bytes, but a request's head must fit.
      REST = 65_536
      # Protocols by ALPN name.
      KINDS = { "h2" => HTTP2::Protocol, "http/1.1" => HTTP1::Protocol }.freeze

      # descriptor: the socket's file descriptor. active_at: the time of the last event on the socket, in seconds
      # (monotonic). limits: the Limits. window_pool: the WindowPool that all connections share. interest: the events
      # that the poller waits for.
      attr_reader :descriptor, :active_at, :limits, :window_pool
      attr_accessor :interest

      # input: an ArrayBuffer that all connections of a reactor share. pool: unused ArrayBuffers for write buffers.
      # reactor: runs the blocks that other threads post. observer: records answered and refused requests. window_pool:
      # a Limits::WindowPool that all connections share.
      def initialize(transport, input:, pool:, handler:, limits:, window_pool:, reactor: nil, log: nil,
                     observer: nil)
        @transport = transport
        @descriptor = transport.descriptor
        @reactor = reactor
        @observer = observer
        transport.peer # raises when the peer is already gone
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
        @active_at = @opened_at = Server.now
      end

      # Runs the block on the reactor's thread, and then a tick of this connection unless it is closed by then. May be
      # called from any thread.
      def post(&block) = @reactor.post(self, &block)

      # Whether this is the reactor's thread, the only one that may use the connection.
      def here? = @reactor.nil? || @reactor.here?

      def ticks? = true
      def scheme = @transport.scheme

      # The peer's address, nil for a Unix socket.
      def peer = @transport.peer

      # Called by the protocols at the end of a request: the response's status (nil when none was sent), the bytes of
      # its body, and the seconds since the request arrived.
      def answered(request, status, bytes, seconds) = @observer&.answered(self, request, status, bytes, seconds)

      # Called by the protocols and the transport when the peer breaks a rule or exceeds a limit. code: the protocol's
      # error code, or nil.
      def refused(reason, code = nil)
        @observer ? @observer.refused(self, reason, code) : @log&.call("refused: #{reason}")
      end

      # Reads and writes as much as possible without blocking. state: the events that the poller reported: READ, WRITE,
      # both or 0. Returns whether the connection stays open.
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

      # The events that the poller should wait for. The poller does not see bytes that the transport has buffered. In
      # that case it waits for a writable socket, which is usually reported soon, and the next tick reads the bytes.
      def wanted
        own = @transport.wanted
        return own if own != 0

        reading = reading?
        writing = @again || !@write_buffer.empty? || @protocol&.ready? || (reading && @transport.pending?)
        (reading ? READ : 0) | (writing ? WRITE : 0)
      end

      # Reports and returns whether the connection was silent for too long, or a phase of the transport or the protocol
      # exceeded its limit. now: seconds, monotonic.
      def late?(now)
        return true if silent?(now) || @protocol&.late?(now)
        return false unless @transport.late?(now - @opened_at, @limits)

        refused("handshake: incomplete after #{(now - @opened_at).floor} s")
        true
      end

      # Hands over the socket. When the server has released it, the block is called with the socket and the unsent
      # output. Input that the server has already read can be read from the socket again. Returns whether the socket can
      # be handed over.
      def detach(&taker)
        @low_water_mark&.stop
        @socket = @transport.detach or return false
        @socket.ungetbyte(@rest) if @rest
        @taker = taker
        true
      end

      # Called when the server is stopping: open requests, and requests in transit, are still answered.
      def leave
        @leaving = true
        @protocol&.leave
        pump
      rescue SystemCallError
        nil # the connection's next tick closes it
      end

      # Whether the peer sends a large body and the socket's low-water mark is raised. The poller then does not report a
      # few bytes, so the reactor reads the connection regularly (Reactor#hurry).
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

      # Whether the peer was silent for too long, or did not complete the preface in time. Only checked until the
      # protocol is chosen, because each protocol has its own timeouts.
      def silent?(now)
        return false if @protocol

        now - @active_at > @limits.idle || (@rest && now - @opened_at > @limits.head_seconds)
      end

      # Whether READ was reported although the poller does not wait for it. A lost connection is reported in this way,
      # again in every tick.
      def unasked? = @interest & READ == 0 && !bulk?

      # Called when the peer closes its side. Returns whether a response is pending that the peer may still read.
      def half_open?
        @ended = @protocol&.ended(!@rest.nil?) || false
      end

      # Whether to read: not while too much output is unsent, and not while too much unprocessed input is kept.
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

      # Copies the unprocessed bytes of the previous read to the start of the input.
      def restore
        view.set_bytes(0, @rest)
        @rest.bytesize
      end

      def feed(length)
        @protocol ||= choose(length)
        from = @protocol ? @protocol.receive(@input, 0, length) : 0
        keep(from, length)
      end

      # Keeps the unprocessed bytes. The memory of the old String is released at once, because a flood of input would
      # allocate much memory before the next garbage collection.
      def keep(from, length)
        before = @rest
        @rest = from < length ? view.get_bytes(from, length - from) : nil
        before&.clear
      end

      def view = @view ||= DataView.new(@input)

      # Chooses the protocol by ALPN or by the first bytes: HTTP/2 begins with its preface, which is not a valid
      # HTTP/1.1 request.
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
      # which is sent together with what follows. Input that was kept (a pipelined request, or frames whose responses
      # did not fit) is processed in between, in a limited number of rounds per tick.
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

      # Processes kept input and produces output. Returns whether there was any progress.
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
