# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Limits the unread bytes of a peer: few at first, more for a peer that sends more, as far as the process's
      # WindowPool allows. On the reactor's thread.
      class WindowQuota
        # The minimum for each peer: the initial window of HTTP/2 (RFC 9113, section 6.9.2).
        LEAST = 65_535

        # For a connection. Without a shared pool, it gets its own.
        def self.of(connection, limits, most)
          new(connection.window_pool || WindowPool.new(limits.windows), most)
        end

        attr_reader :size

        def initialize(pool, most)
          @pool = pool
          @least = @size = [LEAST, most].min
          @most = most
        end

        # Whether it can grow.
        def more? = @size < @most && @pool.left.positive?

        # At most doubles it. Returns the bytes that were added.
        def widen
          more = @pool.take([@size, @most - @size].min)
          @size += more
          more
        end

        # The peer sends no more.
        def give_back
          @pool.give_back(@size - @least)
          @size = @least
        end
      end
    end
  end
end
