# frozen_string_literal: true

module Spate
  module Server
    class Files
      class Gzip
        class Cache
          # A file that is compressed piece by piece on another thread, and the result so far. Any number of Readers may
          # send the result, even before it is complete. If the last reader leaves before the end, compression stops.
          class Entry
            # Overhead of an entry in bytes.
            ENTRY = 4096

            # found: an open Native::Found, which this entry closes.
            def initialize(found, threads)
              @found = found
              @threads = threads
              @coder = Coder.new(found)
              @bytes = +"".b
              @lock = Mutex.new
              @readers = {}.compare_by_identity # reader => whether the reader waits
            end

            def begin = @threads.post { step }

            # Whether the entry has readers, or is still being compressed.
            def used? = @lock.synchronize { !@readers.empty? || (!@done && !@failed) }

            # Bytes used; before the end, estimated by the size of the file.
            def weight = ENTRY + (@done ? @bytes.bytesize : @found.size)

            # Returns a Reader for this Native::Found. Returns nil when the entry belongs to another file, or was
            # abandoned.
            def reader(found = @found)
              return unless found.same?(@found)

              @lock.synchronize { Reader.new(self).tap { |reader| @readers[reader] = false } unless @failed }
            end

            def leave(reader) = @lock.synchronize { @readers.delete(reader) }

            # Called by readers. Returns all bytes so far, their number, and whether they are complete. If compression
            # failed, raises the error for a reader at the end of the bytes.
            def so_far(from)
              @lock.synchronize do
                count = @bytes.bytesize
                raise @failed if @failed && from == count

                [@bytes, count, @done]
              end
            end

            # The total number of bytes, nil while it is unknown.
            def length = @done ? @bytes.bytesize : nil

            # Returns whether a reader at this position can continue at once. Otherwise registers the reader to be
            # woken later.
            def ready?(reader, from)
              @lock.synchronize do
                waits = from == @bytes.bytesize && !@done && !@failed
                @readers[reader] = waits if @readers.key?(reader)
                !waits
              end
            end

            private

            def step
              return give_up if @lock.synchronize { unwanted? }

              coded = @coder.next
              close if (done = @coder.done?)
              tell { @bytes << coded and @done = done } unless coded.empty?
              @threads.post { step } unless done
            rescue StandardError => e
              tell { @failed = e }
              close
            end

            # Marks the entry as failed if no reader is left, so that no reader is added later, and returns whether it
            # did. Must be called with the lock held.
            def unwanted?
              return unless @readers.empty?

              @failed = Response::Body::Truncated.new("#{@found.path}: its last reader has disconnected")
            end

            def give_up = close

            def close
              @coder.close
              @found.close
            end

            # Runs a block that changes what readers see, and wakes the readers that wait.
            def tell
              waiting = @lock.synchronize do
                yield
                @readers.select { |_, waits| waits }.each_key { |reader| @readers[reader] = false }
              end
              waiting.each_key(&:wake)
            end
          end
        end
      end
    end
  end
end
