# frozen_string_literal: true

module Spate
  module Server
    class Files
      # What gzip made of long files, so that a file is coded once, however many ask for it now or later. Bounded: what
      # is made, kept, or still sent to somebody counts; where there is no room a file is coded for its client alone. On
      # the reactor's thread only.
      class GzipCache
        autoload :Making, "spate/server/files/gzip_cache/making"
        autoload :Reader, "spate/server/files/gzip_cache/reader"

        # Bytes of all.
        ALL = 64 << 20

        def initialize(threads, all: ALL)
          @threads = threads
          @all = all
          @made = {}
          @replaced = []
        end

        # A Body of a Known's coding, or nil where it cannot be kept: there is no room, or the file changed so lately
        # that it may change again unseen. Yields for a Native::Found to read from.
        def body(known, now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
          return unless known.settled?(now)

          reader = find(known)
          return reader if reader
          return unless room?(known.found.size)

          making = @made[known.name] = Making.new(yield, @threads)
          making.reader.tap { making.begin }
        end

        def bytes = [@made.each_value, @replaced].sum { |makings| makings.sum(&:weight) }

        private

        # A Reader, or nil. The last one used is the last to go.
        def find(known)
          making = @made.delete(known.name) or return
          reader = making.reader(known.found)
          reader ? @made[known.name] = making : @replaced << making
          reader
        end

        def room?(size)
          @replaced.select!(&:used?)
          excess = bytes + size - @all
          @made.each do |name, making|
            break unless excess.positive?
            next if making.used?

            excess -= making.weight
            @made.delete(name)
          end
          !excess.positive?
        end
      end
    end
  end
end
