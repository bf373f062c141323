# frozen_string_literal: true

require "spate/boot/compiler/compilation"

module Spate
  module OwnCode
    # Compiles every file of Spate into the image; in a process of its own, which it spoils for anything else.
    class Making
      # Nanoseconds between a change of a file and its reading, below which another change might not show in its times.
      RACY = 20_000_000
      # Seconds after which images of other versions and other Rubies are removed.
      OLD = 30 * 86_400
      # Attempts to make a folder while others remove the ones above it; some folders, as /proc, take none at all.
      TRIES = 3

      def initialize(path, key)
        @path = path
        @key = key
        @compilation = Boot::Compiler::Compilation.new
      end

      # Answers whether it was made: not by two at once, nor for a Ruby with other options.
      def call
        return false unless OwnCode.key == @key

        make(File.dirname(@path))
        File.open("#{@path}.lock", File::WRONLY | File::CREAT, 0o600) do |lock|
          next false unless lock.flock(File::LOCK_EX | File::LOCK_NB)

          File.utime(nil, nil, "#{@path}.lock")
          Native::Image.write(@path, key: @key, files: files.filter_map { |file| entry(file) }, data: {})
          File.unlink("#{@path}.lock")
          tidy
          true
        end
      end

      private

      def files = ["#{LIB}/spate.rb", *Dir.glob("#{LIB}/spate/**/*.rb")].sort

      def entry(file)
        recorded = settled(file) or return
        stat = Native.stat(file)
        hash = Native.content_hash(file)
        flags, blob = @compilation.call(file)
        return unless Native.stat(file) == stat # changed meanwhile: the next run tells

        [file, [*stat[0, 3], hash, recorded, stat[4], flags], blob]
      end

      # The time from which on a change shows; nil where the file is gone.
      def settled(file)
        until (stat = Native.stat(file)).nil?
          clock = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
          return clock if stat[1, 2].all? { |time| (clock - time).abs > RACY }

          sleep 2.0 * RACY / 1_000_000_000
        end
      end

      def tidy
        Dir.glob("#{File.dirname(@path)}/*").each do |path|
          File.unlink(path) if path != @path && Time.now - File.mtime(path) > OLD
        end
      end

      def make(folder)
        Dir.mkdir(folder, 0o755)
      rescue Errno::EEXIST
        nil
      rescue Errno::ENOENT
        raise if (tries = tries.to_i + 1) > TRIES

        make(File.dirname(folder))
        retry
      end
    end
  end
end
