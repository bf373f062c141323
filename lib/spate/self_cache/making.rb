# frozen_string_literal: true

require "spate/compile_cache/compiler/compilation"
require "spate/compile_cache/compiler/job"

module Spate
  module SelfCache
    # Compiles all files of Spate into the compile cache. Runs in a separate process, because it silences all warnings.
    class Making
      # The age in seconds after which compile caches for other versions and Rubies are removed.
      OLD = 30 * 86_400

      def initialize(path, key)
        @path = path
        @key = key
      end

      # Returns whether the compile cache was built. It is not built if another process is building it, or if this Ruby
      # has other compile options.
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

      # Called before the first file is compiled, because compiling must not load code.
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
