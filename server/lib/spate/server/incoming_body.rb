# frozen_string_literal: true

module Spate
  module Server
    # A request's body as it comes in. What nobody took yet waits here, and the peer's window stays as much smaller: a
    # handler that does not read stops its peer.
    class IncomingBody
      # Bytes that the peer announced, or nil.
      attr_reader :length

      # consumed: told how many bytes were taken, so that the peer may send as many more.
      def initialize(length, &consumed)
        @length = length
        @consumed = consumed
        @waiting = []
        @ended = false
      end

      # Each part of the body, also those that came before.
      def on_chunk(&taker)
        @taker = taker
        parts, @waiting = @waiting, []
        parts.each { |part| give(part) }
        self
      end

      # When the body is whole; with its trailers, a Hash. Not called where the peer gave up.
      def on_end(&ending)
        @ending = ending
        ending.call(@trailers) if @ended
        self
      end

      def discard = on_chunk { nil }

      # For the protocol: a part that came, and the end.
      def push(bytes)
        @taker ? give(bytes) : @waiting << bytes
      end

      def finish(trailers = {})
        @ended = true
        @trailers = trailers
        @ending&.call(trailers)
      end

      private

      def give(bytes)
        @taker.call(bytes)
        @consumed&.call(bytes.bytesize)
      end
    end
  end
end
