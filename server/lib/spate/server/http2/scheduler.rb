# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Chooses the stream that sends DATA next, within the peer's windows (RFC 9113, section 5.2): by urgency (RFC
      # 9218, section 10), then as Level describes.
      class Scheduler
        # Streams of one urgency that have something to send (RFC 9218, section 10). Incremental streams share the
        # bandwidth. Other streams are served one after another, the oldest request first. The two groups alternate, so
        # that neither starves.
        class Level
          def initialize
            @shared = []  # in round-robin order
            @ordered = [] # by identifier
            @ordered_next = true
          end

          def empty? = @shared.empty? && @ordered.empty?

          def add(stream)
            return @shared << stream if stream.incremental?

            at = @ordered.bsearch_index { |other| other.id > stream.id } || @ordered.size
            @ordered.insert(at, stream)
          end

          def shift
            return @shared.shift if @ordered.empty?
            return @ordered.shift if @shared.empty?

            @ordered_next = !@ordered_next
            @ordered_next ? @shared.shift : @ordered.shift
          end

          def delete(stream)
            @shared.delete(stream) || @ordered.delete(stream)
          end
        end

        # The largest valid window (section 6.9.1).
        LARGEST_WINDOW = (1 << 31) - 1
        # Most bytes that one stream sends in a row while other streams wait (round-robin).
        QUANTUM = 65_536
        # If the write buffer has less room, it is sent first.
        LEAST_ROOM = 2048
        # Every BACKGROUND-th quantum goes to the least urgent stream, so that background transfers make progress.
        BACKGROUND = 16
        # DATA of at least this many bytes earns tokens for WINDOW_UPDATEs, even if it exhausts a window.
        WORTH = 1024
        # A response of at most this many bytes is sent at once when no other stream waits.
        SMALL = 8192

        # Bytes of DATA written so far.
        attr_reader :sent

        # flood_limit: the TokenBucket that is credited for the WINDOW_UPDATEs in response to DATA frames.
        def initialize(write_buffer, flood_limit)
          @write_buffer = write_buffer
          @flood_limit = flood_limit
          @window = 65_535
          @alone = nil # the only waiting stream; it needs no level
          @levels = []
          @size = @count = @sent = 0
        end

        # Whether the next call of `produce` would write bytes if the write buffer were empty.
        def ready? = @size.positive? && @window.positive?

        def waiting? = @size.positive?

        def enqueue(stream)
          return if stream.queued || !stream.ready?

          stream.queued = true
          @size += 1
          return @alone = stream if @size == 1

          rank(@alone) if @alone
          @alone = nil
          rank(stream)
        end

        # Writes a small body completely. If it does not fit or other streams wait, returns false and does nothing.
        # Raises the body's errors.
        def at_once(stream, length)
          return false if @size.positive? || length > SMALL || length > @window || length > stream.window
          return false if @write_buffer.room < length + LEAST_ROOM

          @window -= stream.produce(@write_buffer, length)
          @sent += length
          @flood_limit.earn(2)
          true
        end

        # Changes the priority of a stream, whether it waits or not.
        def move(stream, priority)
          return stream.priority = priority unless stream.queued

          stream.equal?(@alone) ? @alone = nil : @levels[stream.urgency].delete(stream)
          @size -= 1
          stream.queued = false
          stream.priority = priority
          enqueue(stream)
        end

        # Called when the peer enlarges the connection's window. Raises ConnectionError when the window is too large.
        def widen(bytes)
          @window += bytes
          return if @window <= LARGEST_WINDOW

          raise ConnectionError.new("the connection's window exceeds 2^31-1", ErrorCode::FLOW_CONTROL_ERROR)
        end

        # Called when the peer enlarges a stream's window. Raises StreamError when the window is too large.
        def widen_stream(stream, bytes)
          return enqueue(stream) if stream.widen(bytes) <= LARGEST_WINDOW

          raise StreamError.new("the stream's window exceeds 2^31-1", ErrorCode::FLOW_CONTROL_ERROR,
                                stream.id)
        end

        # Called for each stream when the peer's settings change all windows. Raises ConnectionError when the window is
        # too large.
        def widen_all(stream, bytes)
          return enqueue(stream) if stream.widen(bytes) <= LARGEST_WINDOW

          raise ConnectionError.new("a stream's window exceeds 2^31-1", ErrorCode::FLOW_CONTROL_ERROR)
        end

        # Fills the write buffer. Yields each stream whose body is complete or failed, with the error or nil.
        def produce
          while @size.positive? && @window.positive? && (room = @write_buffer.data_room) >= LEAST_ROOM
            room = QUANTUM if @size > 1 && room > QUANTUM
            room = @window if @window < room
            stream = shift
            next unless stream.ready?

            error = write(stream, room)
            next yield(stream, error) if error || stream.sent?

            enqueue(stream)
          end
        end

        private

        def rank(stream) = (@levels[stream.urgency] ||= Level.new).add(stream)

        def shift
          @count += 1
          @size -= 1
          stream, @alone = @alone, nil
          stream ||= (@count % BACKGROUND).zero? ? level(@levels.size - 1, -1).shift : level(0, 1).shift
          stream.queued = false
          stream
        end

        def level(urgency, step)
          urgency += step while (level = @levels[urgency]).nil? || level.empty?
          level
        end

        def write(stream, room)
          count = stream.produce(@write_buffer, room)
          @window -= count
          @sent += count
          @flood_limit.earn(2 + count / 2048) if count >= WORTH || (@window.positive? && stream.window.positive?)
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
