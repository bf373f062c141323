# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Bytes that a peer may send before anybody has read them: few at first, more for a peer that sends more, as far
      # as the WindowPool of the process allows. So unread bytes have a bound. On the reactor's thread.
      class WindowQuota
        # What each peer has: HTTP/2 gives it away unasked (RFC 9113, section 6.9.2).
        LEAST = 65_535

        # Of a connection; one without a pool has it for itself.
        def self.of(connection, limits, most)
          new(connection.window_pool || WindowPool.new(limits.windows), most)
        end

        attr_reader :size

        def initialize(pool, most)
          @pool = pool
          @least = @size = [LEAST, most].min
          @most = most
        end

        # Whether it can be widened.
        def more? = @size < @most && @pool.left.positive?

        # At most twice as much. Answers the bytes that were added.
        def widen
          more = @pool.take([@size, @most - @size].min)
          @size += more
          more
        end

        # Nobody sends any more.
        def give_back
          @pool.give_back(@size - @least)
          @size = @least
        end
      end
    end
  end
end
