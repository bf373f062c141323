# frozen_string_literal: true

require_relative "../../inputs"

module Spate
  module Build
    module Cache
      # Stores the files that a build created, changed or removed, and a record of its inputs. With the record, other
      # bundles can use the build.
      class Recorder
        # store: the store to write to. root: the bundle's folder.
        def initialize(store, reuse_check, environment, root)
          @store = store
          @reuse_check = reuse_check
          @environment = environment
          @root = root
        end

        # before, after: Snapshots. observed: Trace::ObservedInputs; nil if the build was not traced. Returns [Entry,
        # reason why other bundles may not use it (String) or nil].
        def call(job, before, after, seconds:, observed:)
          changed = after.since(before)
          files = changed.reject { |path| after.directory?(path) }
          artifacts = Trace::Artifacts.new(files, @root) { |path| job.reads?(path) }
          record = record(job, artifacts, observed, removed: after.removed_since(before), seconds: seconds)
          records = ["", Variants::NEEDS].to_h { |suffix| [suffix, @store.temporary("inputs")] }
          # observed.doubt is read afterwards, because an input may change while the record is written.
          doubt = refused(observed, artifacts, records.values).then { |refused| observed.doubt || refused } if observed
          kept = keep(Variants.new(@store, job.key), record, observed && !doubt ? records : nil) do |path|
            @store.native.write_manifest(path, job.archive_sha256, entries(changed, before, after), record.to_s)
          end
          [kept, doubt]
        ensure
          records&.each_value { |path| File.unlink(path) if File.exist?(path) }
        end

        private

        def record(job, artifacts, observed, removed:, seconds:)
          bound = observed&.bound? || artifacts.names_root?
          Record.new(full_name: job.package.full_name, seconds: seconds, root: (bound ? @root : nil),
                     removed: removed.map { |path| relative(path) }, programs: observed&.programs,
                     walks: observed&.walks,
                     missed: observed&.missed, words: observed&.words&.to_s, names: observed&.found_by_words,
                     sees: job.signers.to_a)
        end

        # Writes the record of inputs and the record of runtime requirements. Returns nil, or the reason (String) why
        # they cannot be stored.
        def refused(observed, artifacts, paths)
          paths.zip([observed.inputs(artifacts), observed.libraries(artifacts.needed)]) do |path, inputs|
            refused = Inputs.record(path, inputs, @reuse_check.own_roots, env: @environment.variables)
            return refused.reverse.join(" ") if refused
          end
          nil
        rescue SystemCallError => e
          ErrorSummary.of(e)
        end

        # Stores the build. Equal inputs result in the same id. files: the records, or nil if only this bundle may use
        # the build.
        def keep(variants, record, files)
          inputs = files && Inputs.each(files[""]).map { |*place, facts| [*place, facts.except(:stamped)].inspect }
          id = variants.name(inputs ? "#{record.root}\n#{inputs.join("\n")}" : Random.urandom(16), record)
          yield @store.build_path(key = variants.key(id))
          variants.commit(id, files) if files
          Entry.find(@store, key)
        end

        def entries(paths, before, after)
          parents = paths.to_h { |path| [File.dirname(path), true] }
          paths.filter_map do |path|
            type, mode, = after.entries[path]
            case type
            when "file" then @store.native.adopt(path).merge(path: relative(path), type: :file)
            when "link" then empty(path, :symlink, mode).merge(target: File.readlink(path))
            when "directory" then empty(path, :directory, mode) unless parents[path] && created?(path, mode, before)
            end
          end
        end

        # Whether linking the files creates their folder with the same mode, so that the manifest need not list it.
        def created?(path, mode, before) = !before.entries.key?(path) && mode == 0o777 & ~Key.umask

        def empty(path, type, mode)
          { path: relative(path), type: type, mode: mode, size: 0, mtime_ns: 0, sha256: nil, target: nil }
        end

        def relative(path) = path.delete_prefix("#{@root}/")
      end
    end
  end
end
