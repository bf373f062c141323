# frozen_string_literal: true

module Spate
  module Server
    class Files
      class Gzip
        class Cache
          # A file on its way to be gzip, piece by piece on another thread, and what was made of it so far. Any number
          # of Readers send it meanwhile and afterwards. Without any before it is done it is given up.
          class Entry
            # Bytes beside those of the content.
            ENTRY = 4096

            # found: open; it belongs to this.
            def initialize(found, threads)
              @found = found
              @threads = threads
              @coder = Coder.new(found)
              @bytes = +"".b
              @lock = Mutex.new
              @readers = {}.compare_by_identity # => whether it waits
            end

            def begin = @threads.post { step }

            # Whether somebody reads it, or its thread is at work.
            def used? = @lock.synchronize { !@readers.empty? || (!@done && !@failed) }

            # Bytes that it takes, or may come to take.
            def weight = ENTRY + (@done ? @bytes.bytesize : @found.size)

            # A Reader of this Native::Found; nil where this is of another one, or was given up.
            def reader(found = @found)
              return unless found.same?(@found)

              @lock.synchronize { Reader.new(self).tap { |reader| @readers[reader] = false } unless @failed }
            end

            def leave(reader) = @lock.synchronize { @readers.delete(reader) }

            # For readers: the bytes, how many there are, and whether that is all. Raises what went wrong at the end.
            def so_far(from)
              @lock.synchronize do
                count = @bytes.bytesize
                raise @failed if @failed && from == count

                [@bytes, count, @done]
              end
            end

            # nil while nobody knows.
            def length = @done ? @bytes.bytesize : nil

            # Whether a reader at this place need not wait. If it must, it is called later.
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

            # Whether nobody waits for it any more; from then on nobody can. Under the lock.
            def unwanted?
              @failed = Response::Body::Truncated.new("#{@found.path}: nobody waited for it") if @readers.empty?
            end

            def give_up = close

            def close
              @coder.close
              @found.close
            end

            # Changes what readers see, and wakes those who wait for it.
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
