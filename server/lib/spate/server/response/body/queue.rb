# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # Bytes that other threads add while the response is sent. A thread that adds more bytes than the client reads
        # has to wait. Small parts are joined, so frames do not correspond to parts.
        class Queue
          # Raised when the response cannot be sent any more, because the client is gone.
          class Disconnected < IOError
          end

          # Maximum number of queued bytes.
          MOST = 262_144
          # Parts smaller than this are joined, until the result has at least this size.
          SMALL = 16_384

          # @return [Integer, nil] bytes in total; nil when unknown
          attr_reader :length

          # @param length [Integer, nil] bytes in total, if known
          # @param most [Integer] bytes that are queued before a thread has to wait
          def initialize(length: nil, most: MOST)
            @length = length
            @most = most
            @parts = []
            @size = 0
            @position = 0
            @mutex = Mutex.new
            @changed = ConditionVariable.new
            @starving = false
          end

          # Adds bytes, and waits while the queue is full. May be called from any thread except the reactor's.
          #
          # @param string [String]
          # @return [self]
          # @raise [Disconnected] if the client is gone
          # @raise [IOError] after {#finish}
          def push(string)
            @mutex.synchronize do
              @changed.wait(@mutex) while @size >= @most && !@closed
              raise Disconnected, "the client has disconnected" if @closed
              raise IOError, "the body is finished" if @finished
              next if string.empty?

              add(string)
            end
            call
            self
          end
          alias << push

          # Ends the body.
          #
          # @return [void]
          def finish
            @mutex.synchronize { @finished = true }
            call
          end

          # Ends the body early; the client sees that it is incomplete.
          #
          # @param error [Exception]
          # @return [void]
          def fail(error)
            @mutex.synchronize do
              @error = error
              @finished = true
            end
            call
          end

          # @!visibility private

          # Called by the protocol on the reactor's thread. After `ready?` returned false, the block is called there
          # when there are bytes, an end or an error. connection: nil if there is only one thread.
          def on_ready(connection, &block)
            @connection = connection
            @told = block
          end

          def ready?
            @mutex.synchronize do
              @starving = nothing?
              !@starving
            end
          end

          # Whether only an end or an error is left, without further bytes.
          def drained? = @mutex.synchronize { @finished && @parts.empty? }

          def done? = @done || false

          def frames(write_buffer, stream, limit, end_stream)
            move(limit, -> { write_buffer.data_room }) do |part, from, count, last|
              write_buffer.data(stream, part, from, count, last && end_stream) if count.positive? || end_stream
            end
          end

          def raw(write_buffer, limit)
            move(limit, -> { write_buffer.room }) do |part, from, count, _|
              write_buffer.raw(count == part.bytesize ? part : part.byteslice(from, count))
            end
          end

          # Number of bytes that are available at once.
          def at_hand = @mutex.synchronize { @size }

          def close
            @mutex.synchronize do
              @closed = true
              @parts.clear
              @size = 0
              @changed.broadcast
            end
          end

          private

          def nothing? = @parts.empty? && !@finished

          # Copies the string, because the caller may reuse it.
          def add(string)
            small = string.bytesize < SMALL
            if small && @pending && @pending.equal?(@parts.last) && @pending.bytesize < SMALL
              @pending << string.b
            else
              @parts << (small ? @pending = string.b : string.dup)
            end
            @size += string.bytesize
          end

          # Notifies the reactor if its last attempt to send found no data.
          def call
            connection, told = @mutex.synchronize do
              next unless @starving && @told

              @starving = false
              [@connection, @told]
            end
            return unless told

            connection ? connection.post(&told) : told.call
          end

          # Yields the part, an offset in it, the number of bytes, and whether they are the last ones. Returns the
          # number of all bytes. room: called before each piece, because only the write buffer knows the overhead.
          def move(limit, room)
            @mutex.synchronize do
              raise @error if @error && @parts.empty?

              moved = 0
              until @parts.empty? || (count = [limit - moved, room.call].min) <= 0
                moved += step(count) { |*piece| yield(*piece) }
              end
              ending { |*piece| yield(*piece) } if @finished && @parts.empty? && !@done && !@error
              @changed.broadcast if @size < @most
              moved
            end
          end

          def step(limit)
            part = @parts.first
            count = [part.bytesize - @position, limit].min
            whole = @position + count == part.bytesize
            @done = true if whole && @finished && @parts.size == 1 && !@error
            yield part, @position, count, done?
            @size -= count
            @position = whole ? 0 : @position + count
            @parts.shift if whole
            count
          end

          # Ends a body whose last bytes were sent before the end was known.
          def ending
            @done = true
            yield "", 0, 0, true
          end
        end

        # An IO that may block (a pipe, a socket, a terminal). A separate thread reads it while the response is sent.
        #
        # @!visibility private
        class Pipe < Queue
          PART = 65_536

          # The IO is closed together with the body.
          def initialize(io)
            super()
            @io = io
          end

          def on_ready(...)
            super
            Thread.new { read }
          end

          def close
            super
            @io.close
          end

          private

          def read
            loop { push(@io.readpartial(PART)) }
          rescue EOFError
            finish
          rescue Disconnected
            nil
          rescue StandardError => e
            self.fail(e)
          end
        end
      end
    end
  end
end
