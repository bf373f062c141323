# frozen_string_literal: true

module Spate
  module Server
    class Files
      class Gzip
        # Compressed long files, so that a file is compressed once for all clients. Bounded: entries being made, kept or
        # still sent count; beyond the limit, a file is compressed for one client. On the reactor's thread only.
        class Cache
          autoload :Entry, "spate/server/files/gzip/cache/entry"
          autoload :Reader, "spate/server/files/gzip/cache/reader"

          # Bytes of all entries.
          ALL = 64 << 20

          def initialize(threads, all: ALL)
            @threads = threads
            @all = all
            @made = {}
            @replaced = []
          end

          # Returns a Body of the compressed resource, or nil when it cannot be kept: the cache is full, or the file
          # changed so recently that another change might not be noticed. Yields for a Native::Found to read from.
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

          # Returns a Reader, or nil. The least recently used entry is removed first.
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
