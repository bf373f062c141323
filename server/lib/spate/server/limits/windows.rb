# frozen_string_literal: true

module Spate
  module Server
    class Limits
      # Limits the unread bytes of a peer. The limit is low at first, and grows for a peer that sends more while the
      # process's WindowPool has bytes left. Must be used on the reactor's thread.
      class WindowQuota
        # The minimum for each peer: the initial window of HTTP/2 (RFC 9113, section 6.9.2).
        LEAST = 65_535

        # Returns the quota of a connection. A connection without a shared pool gets its own pool.
        def self.of(connection, limits, most)
          new(connection.window_pool || WindowPool.new(limits.windows), most)
        end

        attr_reader :size

        def initialize(pool, most)
          @pool = pool
          @least = @size = [LEAST, most].min
          @most = most
        end

        # Whether the quota can grow.
        def more? = @size < @most && @pool.left.positive?

        # Doubles the quota if the pool and the maximum allow it, otherwise adds less. Returns the number of added
        # bytes.
        def widen
          more = @pool.take([@size, @most - @size].min)
          @size += more
          more
        end

        # Returns the added bytes to the pool. Called when the peer has sent everything.
        def give_back
          @pool.give_back(@size - @least)
          @size = @least
        end
      end

      # Window bytes that all peers of a process share, in addition to the minimum of each peer.
      class WindowPool
        attr_reader :left

        def initialize(bytes)
          @left = bytes
        end

        # Takes bytes from the pool, at most as many as are left. Returns their number.
        def take(bytes)
          bytes = [bytes, @left].min
          @left -= bytes
          bytes
        end

        def give_back(bytes)
          @left += bytes
        end
      end
    end
  end
end
