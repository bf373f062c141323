# frozen_string_literal: true

require "forwardable"
require "spate/zlib"

module Spate
  module Server
    class Files
      class Gzip
        # Compresses a file piece by piece, on one thread at a time.
        class Coder
          # Bytes of the file per piece.
          PIECE = 131_072
          FORMAT = 31

          # found: an open Native::Found, which the caller closes.
          def initialize(found)
            @found = found
            @deflate = Zlib::Deflate.new(LEVEL, FORMAT)
            @offset = 0
            @done = false
          end

          # Whether the whole file has been compressed.
          def done? = @done

          # Returns the output for the next piece of the file, which may be empty. After the last piece, returns the
          # trailer. Raises Truncated when the file has changed.
          def next
            length = [PIECE, @found.size - @offset].min
            return finish if length.zero?

            bytes = @found.read(@offset, length)
            changed if bytes.empty?
            @offset += bytes.bytesize
            @deflate.deflate(bytes)
          end

          def close = @deflate.close

          private

          def finish
            changed if @found.altered?
            @done = true
            @deflate.finish
          end

          def changed = raise(Response::Body::Truncated, "#{@found.path} changed while it was sent")
        end

        # A Body that compresses a file while it is sent. When little output is queued, another thread compresses the
        # next piece, without waiting for the client.
        class Stream
          extend Forwardable

          # Queued bytes below which the next piece is compressed.
          LOW = 65_536

          def_delegators :@queue, :length, :ready?, :on_ready, :drained?, :done?, :at_hand

          # found: an open Native::Found, which is closed with the body. threads: a ThreadPool.
          def initialize(found, threads)
            @queue = Response::Body::Queue.new
            @found = found
            @threads = threads
            @coder = Coder.new(found)
            @lock = Mutex.new
            @working = @through = false
            work
          end

          def frames(...) = @queue.frames(...).tap { work }
          def raw(...) = @queue.raw(...).tap { work }

          def close
            @queue.close
            @found.close
          end

          private

          def work = @lock.synchronize { go_on }

          def go_on
            return if @working || @through || at_hand >= LOW

            @working = @found.hold
            @threads.post { step } if @working
          end

          def step
            piece
            @through = @coder.done?
          rescue StandardError => e
            @through = true
            @queue.fail(e)
          ensure
            rest
          end

          # Ends the work on a piece. If the piece has already been sent, starts the next one, which the sender could
          # not start while this thread was working.
          def rest
            @found.release
            @lock.synchronize do
              @working = false
              go_on if at_hand.zero?
            end
          end

          # Compresses until there is output. Returns true, or nil at the end of the file.
          def piece
            until @coder.done?
              coded = @coder.next
              next if coded.empty?

              @queue.push(coded)
              return true unless @coder.done?
            end
            @coder.close
            @queue.finish
          end
        end
      end
    end
  end
end
