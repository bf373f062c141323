# frozen_string_literal: true

require "spate/compile_cache/compiler/compilation"
require "spate/compile_cache/compiler/job"

module Spate
  module SelfCache
    # Compiles every file of Spate into the compile cache. Runs in a separate process because it silences all warnings.
    class Making
      # Seconds after which compile caches of other versions and other Rubies are removed.
      OLD = 30 * 86_400

      def initialize(path, key)
        @path = path
        @key = key
      end

      # Returns whether the compile cache was built: false if another process is building it, or for a Ruby with other
      # options.
      def call
        return false unless SelfCache.key == @key

        Util::Files.make_folder(File.dirname(@path), 0o755)
        File.open("#{@path}.lock", File::WRONLY | File::CREAT, 0o600) do |lock|
          next false unless lock.flock(File::LOCK_EX | File::LOCK_NB)

          File.utime(nil, nil, "#{@path}.lock")
          Native::CompileCache.write(@path, key: @key, files: files.filter_map { |file| entry(file) }, data: {})
          File.unlink("#{@path}.lock")
          remove_old
          true
        end
      end

      private

      # Loaded in advance: compiling must not load further code.
      def compilation = @compilation ||= CompileCache::Compiler::Compilation.new(encoding: SelfCache::PATHS)

      def files = SelfCache.libraries.flat_map { |lib| Dir.glob("#{lib}/spate{.rb,/**/*.rb}") }.sort

      def entry(file)
        source = CompileCache::Compiler::SourceFile.of(file) or return
        flags, blob = compilation.call(file)
        [file, source.state(flags), blob] if source.unchanged? # otherwise the next run will compile it
      end

      def remove_old
        Dir.glob("#{File.dirname(@path)}/*").each do |path|
          File.unlink(path) if path != @path && Time.now - File.mtime(path) > OLD
        end
      end
    end
  end
end
