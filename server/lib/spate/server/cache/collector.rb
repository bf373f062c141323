# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # Removes the least recently used entries when the folder exceeds its limit. The size is computed from the last
      # scan of the folder and the bytes stored since. The folder is scanned again after many stored bytes or an hour,
      # because other processes may share it.
      class Collector
        # Disk usage is counted in pages of this many bytes.
        PAGE = 4096
        # Fractions of the limit. KEPT: the size after a collection. SHARE: the bytes that all workers together may
        # store before the next scan.
        KEPT = 0.9
        SHARE = 0.05
        # Seconds between two scans of an idle cache.
        EVERY = 3600
        MINUTE = 60

        # folder: a Folder. limit: bytes, or nil. workers: number of processes that share the folder. evicted: called on
        # another thread with the number of removed entries and their total bytes. log: called with a line.
        def initialize(folder, limit, workers: 1, log: nil, &evicted)
          @folder = folder
          @limit = limit
          @share = limit && (limit * SHARE / workers)
          @log = log
          @evicted = evicted
          @threads = Files::ThreadPool.new(1)
          @stored = 0
          @known = [0, 0]
        end

        # Estimated bytes in the folder: those of the last scan, plus the bytes that this process stored since.
        def size = [@known.first + unseen, 0].max

        # Records an added entry of this many bytes; `removed` records a removed one.
        def stored(bytes)
          @stored += Collector.pages(bytes)
          look if much?
        end

        def removed(bytes) = @stored -= Collector.pages(bytes)

        # Called once a second. Starts a scan when one is due, even without a request. Bytes stored during the last scan
        # may have exceeded the limit.
        def every_second(now = Server.now)
          look(now) if @looked_at.nil? || now - @looked_at >= EVERY || much?
        end

        def close = @threads.close

        def self.pages(bytes) = (bytes + PAGE - 1) / PAGE * PAGE

        private

        # Bytes stored since the last scan began.
        def unseen = @stored - @known.last

        def much? = @limit && (unseen > @share || size > @limit)

        def look(now = Server.now)
          return if @looking

          @looking = true
          @looked_at = now
          stored = @stored
          @threads.post { collect(stored) }
        end

        def collect(stored)
          @folder.sweep
          minutes = minutes_of_use
          size = minutes.each_value.sum
          size -= evict(minutes, size - (@limit * KEPT)) if @limit && size > @limit
          @known = [size, stored].freeze
        rescue SystemCallError => e
          @log&.call("the cache's folder cannot be scanned: #{Error.reason(e)}")
        ensure
          @looking = false
        end

        # Returns { minute since 1970 => bytes of the entries last used in that minute }. This is enough to find the
        # oldest entries without a list of all entries.
        def minutes_of_use
          minutes = Hash.new(0)
          @folder.each { |_, status| minutes[minute(status)] += Collector.pages(status.size) }
          minutes
        end

        def minute(status) = status.atime.to_i / MINUTE

        # Removes the oldest entries. Returns the number of removed bytes.
        def evict(minutes, excess)
          last, rest = newest_to_go(minutes, excess)
          count = freed = 0
          @folder.each do |name, status|
            minute = minute(status)
            next if minute > last || (minute == last && rest <= 0)

            size = @folder.remove(name, unused: (minute + 1) * MINUTE) or next
            rest -= Collector.pages(size) if minute == last
            count += 1
            freed += Collector.pages(size)
          end
          tell(count, freed, last)
          freed
        end

        # Returns [minute, bytes]. Entries last used before this minute are removed, and this many bytes of the entries
        # last used in this minute.
        def newest_to_go(minutes, excess)
          minutes.sort.each do |minute, bytes|
            return [minute, excess] if bytes >= excess

            excess -= bytes
          end
        end

        def tell(count, bytes, minute)
          @evicted&.call(count, bytes)
          @log&.call("the cache was over its limit of #{@limit} bytes: #{count} entries with #{bytes} bytes were " \
                     "removed, last used at #{Time.at(minute * MINUTE).utc.strftime("%F %R")} UTC or before")
        end
      end
    end
  end
end
