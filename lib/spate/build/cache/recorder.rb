# frozen_string_literal: true

require_relative "../inputs"

module Spate
  module Build
    # Puts what a build made, changed and removed into the store, and beside it what it stands on: with that record it
    # is a candidate for other bundles.
    class Recorder
      # store: takes what is recorded. fit: Fit. root: the bundle's folder.
      def initialize(store, fit, environment, root)
        @store = store
        @fit = fit
        @environment = environment
        @root = root
      end

      # before, after: Snapshots. learned: Learned; nil where nothing was heard. Answers the Stored, and why no other
      # bundle uses it, or nil.
      def call(job, before, after, seconds:, learned:)
        changed = after.since(before)
        made = Made.new(changed.reject { |path| after.directory?(path) }, @root, job.loaded)
        record = record(job, made, learned, removed: after.removed_since(before), seconds: seconds)
        files = ["", Candidates::NEEDS].to_h { |suffix| [suffix, @store.temporary("inputs")] }
        # What changes while its facts are taken is in doubt, too.
        doubt = refused(learned, made, files.values).then { |refused| learned.doubt || refused } if learned
        kept = keep(Candidates.new(@store, job.key), record, learned && !doubt ? files : nil) do |path|
          @store.native.write_manifest(path, job.archive_sha256, entries(changed, before, after), record.to_s)
        end
        [kept, doubt]
      ensure
        files&.each_value { |path| File.unlink(path) if File.exist?(path) }
      end

      private

      def record(job, made, learned, removed:, seconds:)
        Record.new(full_name: job.package.full_name, seconds: seconds, root: (@root if made.names_root?),
                   removed: removed.map { |path| relative(path) }, programs: learned&.programs,
                   above: learned&.above, words: learned&.words&.to_s, names: learned&.found_by_words)
      end

      # Writes what it stands on, and what it needs to run; else why that cannot be kept.
      def refused(learned, made, paths)
        paths.zip([learned.inputs(made), learned.libraries(made.needed)]) do |path, inputs|
          refused = Inputs.write(path, inputs, @fit.roots, env: @environment.told)
          return refused.reverse.join(" ") if refused
        end
        nil
      rescue SystemCallError => e
        e.message
      end

      # files: records, nil where it is for its own bundle. The same inputs give it the same name.
      def keep(candidates, record, files)
        inputs = files && Inputs.each(files[""]).map { |*place, facts| [*place, facts.except(:stamped)].inspect }
        id = candidates.name(inputs ? "#{record.root}\n#{inputs.join("\n")}" : Random.urandom(16))
        yield @store.build_path(key = candidates.key(id))
        candidates.commit(id, files) if files
        Stored.find(@store, key)
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
