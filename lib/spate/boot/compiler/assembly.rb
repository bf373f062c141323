# frozen_string_literal: true

module Spate
  module Boot
    class Compiler
      # Makes one image, in a worker: copies what other images have, compiles the rest, writes.
      class Assembly
        # Times this close to the clock are not trusted (git's racy rule), in nanoseconds.
        RACY = 20_000_000

        def initialize(job, compilation)
          @job = job
          @compilation = compilation
          @result = Result.new(path: job.path)
        end

        # Answers a Result.
        def call
          check
          sources = @job.sources.filter_map { |path| open(path) }
          entries = @job.files.filter_map { |path| copy(path, sources) || compile(path) }
          write(entries) if @job.required || entries.any?
          @result
        rescue StandardError => e
          @result.error = [e.class.name, e.message]
          @result
        end

        private

        # Options that this process did not take over would make blobs that no boot asks for.
        def check
          raise ArgumentError, "compile options of #{@job.key} cannot be had here" if RubyKey.current != @job.key
        end

        def write(entries)
          Native::Image.write(@job.path, key: @job.key, files: entries, data: @job.data)
          @result.bytes = File.size(@job.path)
        end

        def open(path)
          Native::Image.open(path, key: @job.key)
        rescue Native::Image::Unusable
          nil
        end

        # An entry with the file's present times, where an image has the file as it is now.
        def copy(path, sources)
          stat = Native.stat(path) or return
          sources.lazy.filter_map { |image| take(image, path, stat) }.first
        end

        def take(image, path, stat)
          entry = image.entry(path)
          return unless entry && entry[:size] == stat[0]

          recorded = same_times?(stat, entry) ? entry[:recorded_ns] : same_content(path, stat, entry)
          blob = recorded && image.blob(path) or return
          @result.copied += 1
          [path, record(stat, entry[:hash], recorded, entry[:flags]), blob]
        end

        def same_times?(stat, entry)
          times = [entry[:mtime_ns], entry[:ctime_ns]]
          stat[1, 2] == times && stat[4] == entry[:inode] && times.none? { |time| racy?(time, entry[:recorded_ns]) }
        end

        # When the content was read, where it is what was recorded.
        def same_content(path, stat, entry)
          settle(path)
          clock = now
          clock if Native.content_hash(path) == entry[:hash] && Native.stat(path) == stat
        end

        def compile(path)
          stat = settle(path) or return
          clock = now
          hash = Native.content_hash(path) or return
          flags, blob = @compilation.call(path)
          return unless Native.stat(path) == stat # changed meanwhile: the next boot tells

          count(flags, blob)
          [path, record(stat, hash, clock, flags), blob]
        rescue SystemCallError
          nil # gone, or not to be read
        end

        # Waits until a change of the file would show in its times.
        def settle(path)
          stat = Native.stat(path) or return
          return stat unless stat[1, 2].any? { |time| racy?(time, now) }

          sleep 2.0 * RACY / 1_000_000_000
          Native.stat(path)
        end

        def racy?(time, clock) = (clock - time).abs < RACY

        def record(stat, hash, clock, flags) = [stat[0], stat[1], stat[2], hash, clock, stat[4], flags]

        def count(flags, blob)
          @result.compiled += 1
          @result.warned += 1 if flags != 0
          @result.failed += 1 if blob.empty?
        end

        def now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      end
    end
  end
end
