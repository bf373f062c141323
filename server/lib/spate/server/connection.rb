# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    # A socket and the protocol that its first bytes name. One tick is bounded: a read of the input's size, a write
    # buffer full of frames, one or two writes.
    class Connection
      autoload :LowWaterMark, "spate/server/connection/low_water_mark"
      autoload :Null, "spate/server/connection/null"
      autoload :Plain, "spate/server/connection/plain"
      autoload :TLS, "spate/server/connection/tls"
      autoload :Transport, "spate/server/connection/transport"

      READ = 1
      WRITE = 2
      ROUNDS = 4
      # Bytes that wait for what is before them: each that comes has all of them moved. A request's head must fit.
      REST = 65_536
      # By their names in ALPN.
      KINDS = { "h2" => HTTP2::Protocol, "http/1.1" => HTTP1::Protocol }.freeze

      # The socket's number; seconds (monotonic) of the last byte either way; what the poller was told; "127.0.0.1", or
      # nil where the socket has no such address; what all windows share.
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
        @peer = transport.peer # raises where the peer is already gone: there is nothing to serve
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

      # Runs a block on the reactor's thread, and then a tick of this connection unless it is closed by then. From any
      # thread.
      def post(&block) = @reactor.post(self, &block)

      # Whether this is the reactor's thread, on which alone a connection may be touched.
      def here? = @reactor.nil? || @reactor.here?

      def ticks? = true
      def scheme = @transport.scheme

      # From the protocols: a request is over, with its answer's status (nil where none began), the bytes of its body
      # and the seconds since the request came.
      def answered(request, status, bytes, seconds) = @observer&.answered(self, request, status, bytes, seconds)

      # From the protocols, the transport and here: what this peer did that was not borne. code: the protocol's number
      # for it, or nil.
      def refused(reason, code = nil)
        @observer ? @observer.refused(self, reason, code) : @log&.call("refused: #{reason}")
      end

      # state: READ, WRITE or both. Answers whether the connection stays open.
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

      # What the poller is to look for. The poller does not see bytes that the transport holds: the socket will be
      # writable soon, and the next tick reads them.
      def wanted
        own = @transport.wanted
        return own if own != 0

        reading = reading?
        writing = @again || !@write_buffer.empty? || @protocol&.ready? || (reading && @transport.pending?)
        (reading ? READ : 0) | (writing ? WRITE : 0)
      end

      # Nothing moved for too long, or the transport or the protocol say that a phase of theirs took too long. Seconds,
      # monotonic.
      def late?(now)
        return true if silent?(now) || @protocol&.late?(now)
        return false unless @transport.late?(now - @opened_at, @limits)

        refused("handshake: none in #{(now - @opened_at).floor} s")
        true
      end

      # Gives the socket to somebody else, who is called with it, and with the bytes that are still to be written, once
      # the server has let go of it. What was read too early can be read from it again. Answers whether that can be.
      def detach(&taker)
        @low_water_mark&.stop
        @socket = @transport.detach or return false
        @socket.ungetbyte(@rest) if @rest
        @taker = taker
        true
      end

      # The server stops: open requests are still answered, and those that are on their way.
      def leave
        @leaving = true
        @protocol&.leave
        pump
      rescue SystemCallError
        nil # its next tick closes it
      end

      # Whether its peer sends much, so that the poller does not report a few bytes: it is read soon anyway.
      def bulk? = !@low_water_mark.nil? && @low_water_mark.on? && reading?

      def closed? = @closed
      def busy? = !@write_buffer.empty? || (@protocol&.busy? || false)

      def close
        unsent = @taker && @write_buffer.to_s
        @protocol&.close
      ensure # whatever failed in it
        @write_buffer.clear
        @transport.close
        @closed = true
        @taker&.call(@socket, unsent)
      end

      private

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # Protocols know better than their bytes do what is idle. Part of a greeting is not idle, it is late.
      def silent?(now)
        return false if @protocol

        now - @active_at > @limits.idle || (@rest && now - @opened_at > @limits.head_seconds)
      end

      # The poller reports a lost socket whether it is read or not, and again in every tick.
      def unasked? = @interest & READ == 0 && !bulk?

      # The peer sends no more; whether it still reads, and has something to.
      def half_open?
        @ended = @protocol&.ended(!@rest.nil?) || false
      end

      # A connection whose answers wait, or whose next request must wait, is not read.
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

      # Frames that were cut in two last time come first.
      def restore
        view.set_bytes(0, @rest)
        @rest.bytesize
      end

      def feed(length)
        @protocol ||= choose(length)
        from = @protocol ? @protocol.receive(@input, 0, length) : 0
        keep(from, length)
      end

      # The old one's memory is given back at once: a flood would make much of it before the garbage is collected.
      def keep(from, length)
        before = @rest
        @rest = from < length ? view.get_bytes(from, length - from) : nil
        before&.clear
      end

      def view = @view ||= DataView.new(@input)

      # What the peer chose in its handshake, else its first bytes tell: HTTP/2 begins with its preface, which is no
      # request of HTTP/1.1.
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

      # What waits is written first, then more is made. hold: what waits was put there just now, a response's fields,
      # and goes out together with what follows. Bytes that came too early (a request behind another, frames
      # whose answers had no room) are taken up in between, a few rounds a tick.
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

      # Answers whether anything came of it.
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
