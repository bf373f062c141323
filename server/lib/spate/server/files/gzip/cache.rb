# frozen_string_literal: true

module Spate
  module Server
    class Files
      class Gzip
        # Caches compressed long files, so that a file is compressed once for all clients. The limit includes entries
        # that are being compressed, are cached or are still being sent. Beyond the limit, a file is compressed for each
        # client. Must be used on the reactor's thread.
        class Cache
          autoload :Entry, "spate/server/files/gzip/cache/entry"
          autoload :Reader, "spate/server/files/gzip/cache/reader"

          # Maximum bytes of all entries.
          ALL = 64 << 20

          def initialize(threads, all: ALL)
            @threads = threads
            @all = all
            @made = {}
            @replaced = []
          end

          # Returns a Body of the compressed resource, or nil when the result cannot be cached: the cache is full, or
          # the file changed so recently that another change might not be detected. The block returns a Native::Found to
          # read from.
          def body(resource, now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
            return unless resource.settled?(now)

            reader = find(resource)
            return reader if reader
            return unless room?(resource.plain.found.size)

            entry = @made[resource.name] = Entry.new(yield, @threads)
            entry.reader.tap { entry.begin }
          end

          def bytes = [@made.each_value, @replaced].sum { |entries| entries.sum(&:weight) }

          private

          # Returns a Reader for a cached entry, or nil. Moves the entry to the end of the Hash, because the least
          # recently used entry is removed first.
          def find(resource)
            entry = @made.delete(resource.name) or return
            reader = entry.reader(resource.plain.found)
            reader ? @made[resource.name] = entry : @replaced << entry
            reader
          end

          def room?(size)
            @replaced.select!(&:used?)
            excess = bytes + size - @all
            @made.each do |name, entry|
              break unless excess.positive?
              next if entry.used?

              excess -= entry.weight
              @made.delete(name)
            end
            !excess.positive?
          end
        end
      end
    end
  end
end
