# frozen_string_literal: true

require "spate/boot/compiler/compilation"
require "spate/boot/compiler/sight"

module Spate
  module OwnCode
    # Compiles every file of Spate into the image; in a process of its own, which it spoils for anything else.
    class Making
      # Seconds after which images of other versions and other Rubies are removed.
      OLD = 30 * 86_400
      # Attempts to make a folder while others remove the ones above it; some folders, as /proc, take none at all.
      TRIES = 3

      def initialize(path, key)
        @path = path
        @key = key
        @compilation = Boot::Compiler::Compilation.new(encoding: OwnCode::PATHS)
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
        sight = Boot::Compiler::Sight.of(file) or return
        flags, blob = @compilation.call(file)
        [file, sight.state(flags), blob] if sight.holds? # else the next run tells
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
