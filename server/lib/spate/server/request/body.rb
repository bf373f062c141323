# frozen_string_literal: true

module Spate
  module Server
    class Request
      # A request's body as it comes in. What nobody took yet waits here, and the peer's window stays as much smaller: a
      # handler that does not read stops its peer. Read by blocks on the reactor's thread (`on_chunk`), or part by part
      # on another one (`take`), never both.
      class Body
        # The peer gave up before its body was whole, or broke a rule.
        class Aborted < IOError
        end

        # Bytes taken by another thread before the reactor hears of them, unless that thread has to wait.
        STEP = 65_536

        # Bytes that the peer announced, or nil. Fields after the body, a Hash, once it is whole. Bytes that wait. The
        # Connection or nil.
        attr_reader :length, :trailers, :size, :connection
        # What a handler keeps of it for somebody else.
        attr_accessor :buffered

        # consumed: told on the reactor's thread how many bytes were taken, so that the peer may send as many more.
        def initialize(length, connection: Connection::Null::ONE, &consumed)
          @length = length
          @connection = connection
          @consumed = consumed
          @waiting = Thread::Queue.new
          @size = @untold = 0
        end

        # Called once, on the reactor's thread, when somebody wants the body.
        def on_wanted(&block)
          @wanted = block
        end

        # Whether the client waits until somebody wants its body.
        def hesitant? = !@wanted.nil?

        # Says that the body will be read: a client that asked waits for that. From any thread.
        def want
          wanted, @wanted = @wanted, nil
          return if wanted.nil?

          @connection.post(&wanted)
        end

        # Each part of the body, also those that came before. lent: the block has a part only until it returns, then its
        # memory serves for the next one, which makes a big body three times as quick.
        def on_chunk(lent: false, &taker)
          want
          @lent = lent
          @taker = taker
          give(@waiting.pop) until @waiting.empty? || @taker.nil?
          self
        end

        # What comes from now on is for `take`.
        def pause
          @taker = nil
        end

        # When the body is whole; with its trailers, a Hash. Not called where the peer gave up.
        def on_end(&ending)
          @ending = ending
          ending.call(@trailers) if @trailers
          self
        end

        # Where the peer gave up, instead of on_end.
        def on_lost(&ending)
          @losing = ending
          ending.call if @lost
          self
        end

        # A waiting reader gets no more; what still comes is dropped.
        def discard
          return self if @discarded

          @discarded = true
          @wanted = nil
          on_chunk(lent: true) { nil }
        end

        # The next part, nil at the end; waits for it. Aborted. From any thread but the reactor's.
        def take
          want if @wanted
          tell if @waiting.empty?
          part = @waiting.pop
          return ended if part.nil?

          @untold += part.bytesize
          tell if @untold >= STEP
          part
        end

        # Whether `take` has something to give, or to tell.
        def ready? = !@waiting.empty? || @waiting.closed?

        # Whether a thread waits for the client, or others do for what its body takes.
        def awaited? = @waiting.num_waiting.positive? || (@buffered&.crowded? || false)

        # Whether the client has sent all of it.
        def whole? = !@trailers.nil?

        # For the protocol: a part that came, the end, and an end before its time.
        def push(bytes)
          @size += bytes.bytesize
          @waiting.empty? && @taker ? give(bytes) : @waiting << bytes
        end

        # trailers: fields that came behind it.
        def finish(trailers = {})
          return if @waiting.closed?

          @trailers = trailers
          @waiting.close
          @ending&.call(trailers)
        end

        # reason: the message of the Aborted that readers get.
        def lose(reason = "the client is gone")
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
