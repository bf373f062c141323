# frozen_string_literal: true

module Spate
  module Build
    # Puts what a build made, changed and removed into the store, under its key, with what it stands on.
    class Recorder
      # What was kept. doubt: why no other bundle uses it, or nil.
      Kept = Struct.new(:stored, :doubt)

      # store: takes what is recorded. fit: Fit. root: the bundle's folder.
      def initialize(store, fit, environment, root)
        @store = store
        @fit = fit
        @environment = environment
        @root = root
      end

      # before, after: Snapshots. learned: Learned; nil where nothing was heard. Answers Kept.
      def call(job, before, after, seconds:, learned:)
        made = Made.new(after.since(before).reject { |path| after.directory?(path) }, @root, job.loaded)
        standing = Standing.new(Candidates.new(@store, job.key), learned, made, @fit.roots, @environment.told)
        record = record(job, made, learned, removed: after.removed_since(before), seconds: seconds)
        standing.keep(record) do |key|
          @store.native.write_manifest(@store.build_path(key), job.archive_sha256,
                                       entries(after.since(before), before, after), record.to_s)
        end
        Kept.new(stored(standing.key), standing.doubt)
      end

      private

      def stored(key) = @store.build(key)&.then { |manifest| Stored.new(@store, key, manifest) }

      def record(job, made, learned, removed:, seconds:)
        Record.new(full_name: job.package.full_name, seconds: seconds, root: (@root if made.names_root?),
                   removed: removed.map { |path| relative(path) }, **(learned ? heard(learned) : {}))
      end

      def heard(learned)
        { programs: learned.programs, above: learned.above, words: learned.words.to_s, names: learned.found_by_words }
      end

      def entries(paths, before, after)
        parents = paths.to_h { |path| [File.dirname(path), true] }
        paths.filter_map do |path|
          type, mode, = after.entries[path]
          case type
          when "file" then @store.native.adopt(path).merge(path: relative(path), type: :file)
          when "link" then empty(path, :symlink, mode).merge(target: File.readlink(path))
          when "directory" then empty(path, :directory, mode) unless parents[path] && made?(path, mode, before)
          end
        end
      end

      # Whether linking what lies in the folder makes it, and as it is.
      def made?(path, mode, before) = !before.entries.key?(path) && mode == 0o777 & ~Key.umask

      def empty(path, type, mode)
        { path: relative(path), type: type, mode: mode, size: 0, mtime_ns: 0, sha256: nil, target: nil }
      end

      def relative(path) = path.delete_prefix("#{@root}/")
    end
  end
end
