# frozen_string_literal: true

module Spate
  module Server
    class Request
      # A request's body while it arrives. Unread bytes are kept here and reduce the peer's window, so a slow handler
      # slows its peer down. Read it with blocks on the reactor's thread (`on_chunk`), or part by part on another thread
      # (`take`), but not both.
      class Body
        # The peer closed before its body was complete, or broke a rule.
        class Aborted < IOError
        end

        # Bytes that another thread takes before the reactor is notified, unless that thread has to wait.
        STEP = 65_536

        # The announced bytes, or nil. The trailers, a Hash, once the body is complete. Unread bytes. The Connection or
        # nil.
        attr_reader :length, :trailers, :size, :connection
        # The handler's buffer for this body (Rack::BufferedBody).
        attr_accessor :buffered

        # consumed: called on the reactor's thread with the bytes that were taken, so that the peer may send as many
        # more.
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

        # Announces that the body will be read, so that a waiting client gets 100 Continue. From any thread.
        def want
          wanted, @wanted = @wanted, nil
          return if wanted.nil?

          @connection.post(&wanted)
        end

        # Yields each part of the body, including earlier ones. lent: the block may use a part only until it returns;
        # its memory is reused for the next one, which makes large bodies three times as fast.
        def on_chunk(lent: false, &taker)
          want
          @lent = lent
          @taker = taker
          give(@waiting.pop) until @waiting.empty? || @taker.nil?
          self
        end

        # Later parts are left for `take`.
        def pause
          @taker = nil
        end

        # Called with the trailers, a Hash, when the body is complete. Not called when the peer gives up.
        def on_end(&ending)
          @ending = ending
          ending.call(@trailers) if @trailers
          self
        end

        # Called instead of on_end when the peer gives up.
        def on_lost(&ending)
          @losing = ending
          ending.call if @lost
          self
        end

        # Readers get no more bytes; later bytes are dropped.
        def discard
          return self if @discarded

          @discarded = true
          @wanted = nil
          on_chunk(lent: true) { nil }
        end

        # Waits for the next part and returns it, nil at the end. Raises Aborted. From any thread but the reactor's.
        def take
          want if @wanted
          tell if @waiting.empty?
          part = @waiting.pop
          return ended if part.nil?

          @untold += part.bytesize
          tell if @untold >= STEP
          part
        end

        # Whether `take` would not block.
        def ready? = !@waiting.empty? || @waiting.closed?

        # Whether a thread waits for the client, or other requests wait for the buffer space of this body.
        def awaited? = @waiting.num_waiting.positive? || (@buffered&.crowded? || false)

        # Whether the body is complete.
        def whole? = !@trailers.nil?

        # Called by the protocol: a part that arrived, the end, or a premature end.
        def push(bytes)
          @size += bytes.bytesize
          @waiting.empty? && @taker ? give(bytes) : @waiting << bytes
        end

        # trailers: fields after the body.
        def finish(trailers = {})
          return if @waiting.closed?

          @trailers = trailers
          @waiting.close
          @ending&.call(trailers)
        end

        # reason: the message of the readers' Aborted.
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
