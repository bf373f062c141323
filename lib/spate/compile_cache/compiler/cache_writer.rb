# frozen_string_literal: true

module Spate
  module CompileCache
    class Compiler
      # Builds one compile cache in a worker: copies blobs from other compile caches, compiles the remaining files, and
      # writes the cache.
      class CacheWriter
        def initialize(job, compilation)
          @job = job
          @compilation = compilation
          @result = Result.new(path: job.path)
        end

        # Returns a Result.
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

        # With other compile options, no boot could use the blobs.
        def check
          return if Boot::RubyKey.current == @job.key

          raise ArgumentError, "compile options of #{@job.key} cannot be set in this Ruby"
        end

        def write(entries)
          Native::CompileCache.write(@job.path, key: @job.key, files: entries, data: @job.data)
          @result.bytes = File.size(@job.path)
        end

        def open(path)
          Native::CompileCache.open(path, key: @job.key)
        rescue Native::CompileCache::Unusable
          nil
        end

        # Returns an entry with the file's current times if a compile cache contains the file's current version,
        # otherwise nil.
        def copy(path, sources) = sources.lazy.filter_map { |cache| take(cache, path) }.first

        def take(cache, path)
          state = cache.state(path) or return
          outcome, = Native.judge(path, state)
          state = again(path, state) if outcome == :revalidated
          return if outcome == :stale || !(blob = state && cache.blob(path))

          @result.copied += 1
          [path, state, blob]
        end

        # The entry's stat fields with the file's new times, if its content is unchanged.
        def again(path, state)
          now = SourceFile.of(path)
          now.state(state.last) if now&.content == state[3]
        end

        def compile(path)
          source = SourceFile.of(path) or return
          flags, blob = @compilation.call(path)
          return unless source.unchanged? # if it changed, the next boot records it again

          count(flags, blob)
          [path, source.state(flags), blob]
        rescue SystemCallError
          nil # missing or unreadable
        end

        def count(flags, blob)
          @result.compiled += 1
          @result.warned += 1 if flags != 0
          @result.failed += 1 if blob.empty?
        end
      end
    end
  end
end
