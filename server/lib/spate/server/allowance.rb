# frozen_string_literal: true

module Spate
  module Server
    # Bytes that a peer may send before anybody read them: few at first, more for who sends more, as long as all peers
    # of a process together do not have too many. So what nobody reads takes no more memory than that. On the reactor's
    # thread.
    class Allowance
      # What each peer has: HTTP/2 gives it away unasked (RFC 9113, section 6.9.2).
      LEAST = 65_535

      # Bytes that all peers may have beyond LEAST.
      class Room
        attr_reader :left

        def initialize(bytes)
          @left = bytes
        end

        # As many of them as there are.
        def take(bytes)
          bytes = [bytes, @left].min
          @left -= bytes
          bytes
        end

        def give_back(bytes)
          @left += bytes
        end
      end

      # Of a connection; one without room has it for itself.
      def self.of(connection, limits, most)
        new(connection.room || Room.new(limits.windows), most)
      end

      attr_reader :size

      def initialize(room, most)
        @room = room
        @least = @size = [LEAST, most].min
        @most = most
      end

      # Whether it can be widened.
      def more? = @size < @most && @room.left.positive?

      # At most twice as much. Answers the bytes that were added.
      def widen
        more = @room.take([@size, @most - @size].min)
        @size += more
        more
      end

      # Nobody sends any more.
      def give_back
        @room.give_back(@size - @least)
        @size = @least
      end
    end
  end
end
