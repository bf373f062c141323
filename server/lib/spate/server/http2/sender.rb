# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Whose DATA goes next: by urgency (RFC 9218, section 10), and by Turns among equals.
      class Sender
        # Bytes of a stream before the next one's turn.
        TURN = 65_536
        # With less room than this it is better to write first.
        LEAST_ROOM = 2048
        # One turn in so many belongs to the least urgent: what is in the background goes on, if slowly.
        BACKGROUND = 16
        # DATA of so many bytes is worth the WINDOW_UPDATEs that answer it, however small the peer's window is.
        WORTH = 1024
        # A response of no more bytes need not wait for its turn where no other waits.
        SMALL = 8192

        # The connection's window; bytes of DATA that were made.
        attr_reader :window, :sent

        # patience: Patience, for the WINDOW_UPDATEs that answer what is sent.
        def initialize(outbox, patience)
          @outbox = outbox
          @patience = patience
          @window = FlowWindow.new(65_535)
          @levels = []
          @size = @count = @sent = 0
        end

        # Whether the next call of `produce` would bring something, once the outbox is empty.
        def ready? = @size.positive? && @window.open?

        def waiting? = @size.positive?

        def enqueue(stream)
          return if stream.queued || !stream.ready?

          stream.queued = true
          @size += 1
          (@levels[Priority.urgency(stream.priority)] ||= Turns.new).add(stream)
        end

        # Sends a small body whole; false, and nothing was done, where there is no room for it, or others wait. Raises
        # what the body raises.
        def at_once(stream, length)
          return false if @size.positive? || length > SMALL || length > @window.size || length > stream.window.size
          return false if @outbox.room < length + LEAST_ROOM

          @window.take(stream.produce(@outbox, length))
          @sent += length
          @patience.earn(2)
          true
        end

        # Another priority for a stream, whether it waits or not.
        def move(stream, priority)
          return stream.priority = priority unless stream.queued

          @levels[Priority.urgency(stream.priority)].delete(stream)
          @size -= 1
          stream.queued = false
          stream.priority = priority
          enqueue(stream)
        end

        # Fills the outbox. Yields each stream whose body is through, or whose body failed, with the error or nil.
        def produce
          while @size.positive? && @window.open? && (room = @outbox.data_room) >= LEAST_ROOM
            room = TURN if @size > 1 && room > TURN
            room = @window.size if @window.size < room
            stream = shift
            next unless stream.ready?

            error = turn(stream, room)
            next yield(stream, error) if error || stream.sent?

            enqueue(stream)
          end
        end

        private

        def shift
          @count += 1
          @size -= 1
          stream = (@count % BACKGROUND).zero? ? level(@levels.size - 1, -1).shift : level(0, 1).shift
          stream.queued = false
          stream
        end

        def level(urgency, step)
          urgency += step while (turns = @levels[urgency]).nil? || turns.empty?
          turns
        end

        def turn(stream, room)
          count = stream.produce(@outbox, room)
          @window.take(count)
          @sent += count
          @patience.earn(2 + count / 2048) if count >= WORTH || (@window.open? && stream.window.open?)
          nil
        rescue Server::ConnectionError
          raise
        rescue StandardError => e
          e
        end
      end
    end
  end
end
