# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Whose DATA goes next: streams with something to send take turns. RFC 9218's priorities belong here.
      class Sender
        # Bytes of a stream before the next one's turn.
        TURN = 65_536
        # With less room than this it is better to write first.
        LEAST_ROOM = 2048

        attr_reader :window

        def initialize(outbox)
          @outbox = outbox
          @window = FlowWindow.new(65_535)
          @queue = []
        end

        # Whether the next call of `produce` would bring something, once the outbox is empty.
        def ready? = !@queue.empty? && @window.open?

        def enqueue(stream)
          return if stream.queued || !stream.ready?

          stream.queued = true
          @queue << stream
        end

        # Fills the outbox. Yields each stream whose body is through, or whose body failed, with the error or nil.
        def produce(max_frame)
          while @window.open? && !@queue.empty? && (room = @outbox.data_room(max_frame)) >= LEAST_ROOM
            room = TURN if @queue.size > 1 && room > TURN
            room = @window.size if @window.size < room
            stream = @queue.shift
            stream.queued = false
            next unless stream.ready?

            error = turn(stream, room, max_frame)
            next yield(stream, error) if error || stream.sent?

            enqueue(stream)
          end
        end

        private

        def turn(stream, room, max_frame)
          @window.take(stream.produce(@outbox, room, max_frame))
          nil
        rescue ConnectionError
          raise
        rescue StandardError => e
          e
        end
      end
    end
  end
end
