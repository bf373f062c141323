# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    # A socket and the protocol that its first bytes name. One turn is bounded: a read of the input's size, an outbox
    # full of frames, one or two writes.
    class Connection
      READ = 1
      WRITE = 2
      ROUNDS = 4

      # The socket's number; seconds (monotonic) of the last byte either way; what the poller was told.
      attr_reader :descriptor, :active_at
      attr_accessor :interest

      # input: an ArrayBuffer that all connections of a reactor share. pool: of their outboxes' buffers.
      def initialize(socket, input:, pool:, handler:, limits:, log: nil)
        @socket = socket
        @descriptor = socket.fileno
        @input = input
        @outbox = Native::Outbox.new(pool)
        @handler = handler
        @limits = limits
        @log = log
        @rest = nil
        @again = false
        @interest = READ
        @active_at = 0
      end

      # state: READ, WRITE or both. Answers whether the connection goes on.
      def turn(state, now)
        @active_at = now
        return false if state & READ != 0 && reading? && receive == :end

        pump
      rescue SystemCallError
        false
      end

      # What the poller is to look for.
      def wanted = (reading? ? READ : 0) | (@again || !@outbox.empty? || @protocol&.ready? ? WRITE : 0)

      # The server stops; answers whether the connection goes on.
      def leave
        return false unless @protocol

        @protocol.leave
        pump
      rescue SystemCallError
        false
      end

      def busy? = !@outbox.empty? || (@protocol&.busy? || false)

      def close
        @protocol&.close
        @outbox.clear
        @socket.close
      end

      private

      # A connection whose answers wait, or whose next request must wait, is not read.
      def reading?
        return false if @protocol&.finished?

        room = Native::Outbox::BYTES - @outbox.pending
        room > HTTP2::Protocol::ROOM_FOR_ANSWERS && (@rest.nil? || @rest.bytesize < @input.size / 2)
      end

      def receive
        offset = @rest ? restore : 0
        count = Native.receive(@descriptor, @input, offset)
        return :end if count == 0
        return keep(0, offset) if count.nil?

        feed(offset + count)
      end

      # Frames that were cut in two last time come first.
      def restore
        @input_bytes ||= Uint8Array.new(@input)
        @input_bytes.set_bytes(0, @rest)
        @rest.bytesize
      end

      def feed(length)
        @protocol ||= choose(length)
        from = @protocol ? @protocol.receive(@input, 0, length) : 0
        keep(from, length)
      end

      def keep(from, length)
        @rest = from < length ? @input.slice(from, length).to_s : nil
      end

      # HTTP/2 begins with its preface, which is no request of HTTP/1.1.
      def choose(length)
        preface = HTTP2::PREFACE
        start = @input.slice(0, [length, preface.bytesize].min).to_s
        return if start.bytesize < preface.bytesize && preface.start_with?(start)

        kind = start == preface ? HTTP2::Protocol : HTTP1::Protocol
        kind.new(@outbox, @handler, @limits, log: @log)
      end

      # What waits is written first, then more is made. Bytes that came too early (a request behind another, frames
      # whose answers had no room) are taken up in between, a few rounds a turn.
      def pump
        @again = false
        ROUNDS.times do
          break unless @outbox.flush(@descriptor) && @protocol

          @again = round && !@rest.nil?
          break unless @again
        end
        !(@protocol&.finished? && @outbox.empty?)
      end

      # Answers whether anything came of it.
      def round
        taken = @rest ? resume : 0
        @protocol.produce
        made = @outbox.pending
        @outbox.flush(@descriptor)
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
