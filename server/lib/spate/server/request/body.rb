# frozen_string_literal: true

module Spate
  module Server
    class Request
      # A request's body while it arrives. Unread bytes are kept here and reduce the peer's window, so a slow handler
      # slows its peer down. Read it with blocks on the reactor's thread (`on_chunk`), or part by part on another thread
      # (`take`), but not both.
      class Body
        # Raised when the peer closed before its body was complete, or broke a rule.
        class Aborted < IOError
        end

        # A thread that calls `take` notifies the reactor after this many bytes, and before it has to wait.
        STEP = 65_536

        # @return [Integer, nil] the announced number of bytes
        attr_reader :length
        # @return [Hash{String => String}, nil] the fields after the body, once it is complete
        attr_reader :trailers
        # @return [Integer] number of unread bytes
        attr_reader :size

        # @!visibility private

        # The Connection, or nil.
        attr_reader :connection
        # The handler's buffer for this body (Rack::BufferedBody).
        attr_accessor :buffered

        # consumed: called on the reactor's thread with the number of bytes that were taken, so that the peer may send
        # as many more.
        def initialize(length, connection: Connection::Null::ONE, &consumed)
          @length = length
          @connection = connection
          @consumed = consumed
          @waiting = Thread::Queue.new
          @size = @untold = 0
        end

        # The block is called once, on the reactor's thread, when the body is first read.
        def on_wanted(&block)
          @wanted = block
        end

        # Whether the client waits for 100 Continue.
        def hesitant? = !@wanted.nil?

        # @!visibility public

        # Announces that the body will be read, so that a waiting client gets 100 Continue. May be called from any
        # thread.
        #
        # @return [void]
        def want
          wanted, @wanted = @wanted, nil
          return if wanted.nil?

          @connection.post(&wanted)
        end

        # Calls the block with each part of the body, including earlier ones, on the reactor's thread.
        #
        # @param lent [Boolean] the block may use a part only until it returns; the part's memory is then freed at once,
        #   which makes large bodies three times as fast
        # @yieldparam part [String]
        # @return [self]
        def on_chunk(lent: false, &taker)
          want
          @lent = lent
          @taker = taker
          give(@waiting.pop) until @waiting.empty? || @taker.nil?
          self
        end

        # Stops calling the block of {#on_chunk}. Later parts are available from {#take}.
        #
        # @return [void]
        def pause
          @taker = nil
        end

        # Calls the block when the body is complete, but not when the peer gives up.
        #
        # @yieldparam trailers [Hash{String => String}]
        # @return [self]
        def on_end(&ending)
          @ending = ending
          ending.call(@trailers) if @trailers
          self
        end

        # Calls the block when the peer gives up.
        #
        # @return [self]
        def on_lost(&ending)
          @losing = ending
          ending.call if @lost
          self
        end

        # Discards unread and later bytes.
        #
        # @return [self]
        def discard
          return self if @discarded

          @discarded = true
          @wanted = nil
          on_chunk(lent: true) { nil }
        end

        # Waits for the next part. May be called from any thread except the reactor's.
        #
        # @return [String, nil] nil at the end
        # @raise [Aborted]
        def take
          want if @wanted
          tell if @waiting.empty?
          part = @waiting.pop
          return ended if part.nil?

          @untold += part.bytesize
          tell if @untold >= STEP
          part
        end

        # @return [Boolean] whether {#take} would not block
        def ready? = !@waiting.empty? || @waiting.closed?

        # @!visibility private
        # Whether a thread waits for the client, or other requests wait for the buffer space of this body.
        def reader_waits? = @waiting.num_waiting.positive? || (@buffered&.crowded? || false)

        # @return [Boolean] whether the body is complete
        def whole? = !@trailers.nil?

        # @!visibility private

        # The protocol calls `push` with each part that arrives, then `finish` at the end, or `lose` if the body ends
        # early.
        def push(bytes)
          @size += bytes.bytesize
          @waiting.empty? && @taker ? give(bytes) : @waiting << bytes
        end

        # trailers: the fields after the body.
        def finish(trailers = {})
          return if @waiting.closed?

          @trailers = trailers
          @waiting.close
          @ending&.call(trailers)
        end

        # reason: the message of the readers' Aborted.
        def lose(reason = "the client has disconnected")
          return if @waiting.closed?

          @lost = reason
          @waiting.close
          @losing&.call
        end

        private

        def ended
          raise Aborted, @lost if @lost

          nil
        end

        def give(bytes)
          count = bytes.bytesize
          @taker.call(bytes)
          bytes.clear if @lent
          consumed(count)
        end

        def tell
          count, @untold = @untold, 0
          return if count.zero?

          @connection.post { consumed(count) }
        end

        def consumed(count)
          @size -= count
          @consumed&.call(count)
        end
      end
    end
  end
end
