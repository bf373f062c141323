# frozen_string_literal: true

module Spate
  module Server
    class Files
      class Gzip
        class Cache
          # A file that is compressed piece by piece on another thread, and the result so far. Any number of Readers
          # send it meanwhile and afterwards. If the last reader leaves before the end, compression stops.
          class Entry
            # Bytes of overhead.
            ENTRY = 4096

            # found: open; closed by this entry.
            def initialize(found, threads)
              @found = found
              @threads = threads
              @coder = Coder.new(found)
              @bytes = +"".b
              @lock = Mutex.new
              @readers = {}.compare_by_identity # reader => whether it waits
            end

            def begin = @threads.post { step }

            # Whether it has readers, or is still being compressed.
            def used? = @lock.synchronize { !@readers.empty? || (!@done && !@failed) }

            # Bytes used, or possibly used at the end.
            def weight = ENTRY + (@done ? @bytes.bytesize : @found.size)

            # Returns a Reader for this Native::Found; nil when the entry is of another one, or was abandoned.
            def reader(found = @found)
              return unless found.same?(@found)

              @lock.synchronize { Reader.new(self).tap { |reader| @readers[reader] = false } unless @failed }
            end

            def leave(reader) = @lock.synchronize { @readers.delete(reader) }

            # For readers: the bytes, their number, and whether that is all. Raises the error of a failed entry at the
            # end.
            def so_far(from)
              @lock.synchronize do
                count = @bytes.bytesize
                raise @failed if @failed && from == count

                [@bytes, count, @done]
              end
            end

            # nil while unknown.
            def length = @done ? @bytes.bytesize : nil

            # Whether a reader at this position need not wait. A reader that must wait is woken later.
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

            # Whether no reader is left; then none can be added. Called with the lock held.
            def unwanted?
              @failed = Response::Body::Truncated.new("#{@found.path}: its last reader is gone") if @readers.empty?
            end

            def give_up = close

            def close
              @coder.close
              @found.close
            end

            # Changes what readers see, and wakes those that wait.
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
