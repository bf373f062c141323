# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Finds files of installed gems that differ from their packages, and reports each. An install keeps a changed
      # file, but only in this bundle, and restores missing files. It also repairs the store, so that other bundles are
      # not affected.
      class Edits
        # record: Store::BundleRecord, or nil. full_names: the installed gems to check.
        def initialize(context, record, full_names)
          @context = context
          @store = context.store
          @record = record
          @full_names = full_names
        end

        # Returns [Store::Edits::Edit], empty if nothing differs. Changes nothing.
        def find
          find_edits.each { |edit| report(edit) }
        end

        # Like #find, but also repairs this bundle and the store if possible.
        def restore_all
          find_edits.each { |edit| report(repair(edit)) }.tap { heal }
        end

        private

        def find_edits
          jobs = @record && !@full_names.empty? ? @record.only(@full_names).jobs(@store) : []
          return [] if jobs.empty?

          differences = Native.check_trees(jobs, nil, @store.owner)
          differences = differences.select { |difference| belongs?(jobs, difference) } unless differences.empty?
          return [] if differences.empty?

          @edits = Store::Edits.new(@store, @record, jobs: jobs)
          @edits.call(differences)
        end

        # Whether the path belongs to an installed gem ("gems/<full name>/..." or "extensions/<platform>/<abi>/<full
        # name>/...") and to this manifest. A package file that the build changed or removed belongs to the build's
        # manifest.
        def belongs?(jobs, difference)
          job, manifest, entry, = difference
          destination, manifests = jobs[job]
          path = "#{destination}/#{manifests[manifest].entry(entry)[:path]}".delete_prefix("#{@record.root}/")
          @in_place ||= @full_names.to_h { |name| [name, true] }
          first, *rest = path.split("/")
          return false unless @in_place.key?(first == "gems" ? rest[0] : rest[2])

          destination == @record.root || builds(jobs).none? { |build| replaces?(build, path) }
        end

        def builds(jobs)
          @builds ||= jobs.select { |destination, _| destination == @record.root }.flat_map(&:last)
        end

        # The record of a removed folder does not list its files.
        def replaces?(build, path)
          build.include?(path) ||
            Build::Builder.removed(build).any? { |gone| path == gone || path.start_with?("#{gone}/") }
        end

        # If the repair fails now, objects are repaired when a bundle links them.
        def heal
          @store.renew(@edits.stale) if @edits&.stale&.any?
        rescue Store::Error
          nil
        end

        def repair(edit)
          part(edit) if edit.kind == :changed && edit.shared?
          restore(edit) if edit.kind == :missing
          edit
        rescue SystemCallError => e
          edit.tap { edit.reason = e.class.new.message }
        end

        def part(edit)
          bundle_file(edit.file).detach
          edit.settled = :parted
        end

        def restore(edit)
          entry = edit.entry
          Util::Files.make_folder(entry[:type] == :directory ? edit.file : File.dirname(edit.file))
          case entry[:type]
          when :symlink then File.symlink(entry[:target], edit.file)
          when :directory then File.chmod(entry[:mode], edit.file)
          else restore_file(edit.file, entry) or return edit.reason = "the store has no undamaged copy"
          end
          edit.settled = :restored
        end

        # Returns nil if the store does not have the file.
        def restore_file(file, entry)
          object = whole(entry) or return

          place = bundle_file(file)
          own = copied?(place.package) || !@store.native.shares?(file, entry[:mode])
          place.put(object.path, copy: own)
          file
        end

        # Another project that installs into the same folder may use --copy.
        def copied?(full_name) = @context.link_method == :copy || @record.tree("gems/#{full_name}")&.copied?

        def whole(entry)
          object = Store::Object.of(@store, entry)
          object if object.intact?
        end

        def bundle_file(path) = Store::Edits::BundleFile.at(@record.root, path)

        def report(edit)
          @context.events.emit(:edited, **edit.to_h)
        end
      end
    end
  end
end
