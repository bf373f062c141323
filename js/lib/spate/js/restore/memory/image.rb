# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # A stored manifest of a whole node_modules: every file, with its object in the store, and every link. With it,
        # a new node_modules is created by one call of the core, without a plan. It is valid in the same folders as the
        # KeptPlan, and as long as the machine runs: after a reboot, objects must be hashed package by package.
        #
        # The manifest's facts are the Parts: surroundings, Sources, Rest. The Rest is a Ruby object, read under the
        # same conditions as a plan.
        class Image
          KIND = "js-images"
          HEADER = "spate-image 1"

          # Data that a restore needs besides files and symbolic links.
          #
          # report:: { attribute of Report => value }
          # names:: full names of the packages, for events
          # texts:: { path => [content, mode] }: small files, such as shims
          # state:: the tool's state files, see Plan; outcome:: their Outcome
          # places:: text of the BundleRecord
          # record:: { attribute of Record => value }: names, watched, summary
          # age:: see Execution::ReleaseAges.passed?, or nil
          Rest = Struct.new(:report, :names, :texts, :state, :outcome, :places, :record, :age, keyword_init: true)

          attr_reader :manifest, :sources, :rest

          # kept: the KeptPlan of the project. Returns nil without a valid image.
          def self.find(kept, store, surroundings, env)
            paths(kept).each do |path|
              image = read(path, kept.root, store, surroundings, env)
              return image if image
            end
            nil
          end

          # Removes the images of a project, which cannot be used.
          def self.discard(kept)
            paths(kept).each { |path| Util::Files.remove(path) }
          rescue SystemCallError
            nil # e.g. read-only; the image stays unusable
          end

          def self.paths(kept) = Reach.all(kept.root).filter_map { |reach| kept.path(reach, KIND) }

          def self.read(path, root, store, surroundings, env)
            path = OwnFile.find(path) or return
            manifest = store.open_manifest(path)
            found, sources, rest = Parts.split(HEADER, manifest.facts) if manifest&.this_boot?
            return unless found == surroundings.b

            sources = Sources.parse(sources, root).renewed(store, env)
            rest = Marshal.load(rest) if sources # rubocop:disable Security/MarshalLoad -- OwnFile
            new(manifest, sources, rest) if rest.is_a?(Rest)
          rescue ArgumentError, TypeError, NameError
            nil # written by another version
          end
          private_class_method :paths, :read

          def initialize(manifest, sources, rest)
            @manifest = manifest
            @sources = sources
            @rest = rest
          end
        end

        # Makes an Image from a completed restore.
        class Draft
          MODULES = "node_modules/"

          # parts: Execution::Parts. entries: { path => Symlink or TextFile }. record: the Record of the restore.
          def initialize(parts, entries, record)
            @parts = parts
            @plan = parts.plan
            @outcome = parts.outcome
            @entries = entries
            @record = record
          end

          # Stores the image, unless there is one. Returns whether it was stored.
          def save(kept)
            path = kept.path(kept.reach, Image::KIND) if kept.reach && @parts.store.writable? && possible?
            return false if path.nil? || File.exist?(path) || (kept.reach != @plan.root && located?)

            facts = Parts.join(Image::HEADER, [@record.surroundings, @record.sources.to_s, Marshal.dump(rest)])
            @parts.store.make(File.dirname(path))
            Native.gather(path, jobs, links, facts)
          rescue TypeError, Native::Error, Store::Error, SystemCallError
            false # an image is only a cache
          end

          private

          # Whether a restore of the same plan in a new folder differs only by its place and time.
          def possible? = ordinary? && settled? && @parts.items.all? { |item| whole?(item) } && inside?

          def ordinary?
            @plan.state.respond_to?(:again) && @plan.projects.uniq == ["."] && @plan.unconfirmed.to_a.empty? &&
              @plan.folders.to_a.all? { |path| filled?(path) } && @plan.trees.none?(&:patch) &&
              @plan.bins.none? { |bin| changes_files?(bin) }
          end

          def filled?(folder) = @entries.each_key.any? { |path| path.start_with?("#{folder}/") }
          def changes_files?(bin) = bin.style.respond_to?(:own_files) && bin.style.own_files(bin).any?

          # Whether no script ran or was refused for a reason that may go away, and nothing was reported to the user.
          def settled?
            scripts = @parts.scripts
            [@outcome.skipped, @outcome.built, @outcome.builds, @parts.left_out.trees, @parts.report.warnings,
             scripts.scripted].all?(&:empty?) && !scripts.own? && !scripts.unknown? && !scripts.warned?
          end

          # Whether the package is in the store, verified since the boot, and named by its digest.
          def whole?(item) = item.stored? && item.manifest.this_boot? && !item.integrity.nil?

          def inside? = [*@plan.trees.map(&:path), *@entries.keys].all? { |path| path.start_with?(MODULES) }

          # Whether an entry contains the project's path.
          def located?
            @entries.each_value.any? do |entry|
              (entry.is_a?(Symlink) ? entry.target : entry.text).b.include?(@plan.root.b)
            end
          end

          def jobs = @plan.trees.map { |tree| [short(tree.path), [@parts.items.of(tree).manifest]] }
          def short(path) = path.delete_prefix(MODULES)

          def links
            found = @entries.select { |_, entry| entry.is_a?(Symlink) }
            found.to_h { |path, entry| [short(path), entry.target] }
          end

          def rest
            outcome = Outcome.new(asking: @outcome.asking, pending: @outcome.pending, deferred: @outcome.deferred)
            Image::Rest.new(report: report, names: @plan.trees.map { |tree| tree.package.full_name }, texts: texts,
                            state: @plan.state.again(@outcome), outcome: outcome, places: places, record: record,
                            age: age)
          end

          def report
            { tool: @plan.tool, total: @plan.trees.size, linked: @plan.trees.size, from_store: @parts.items.size,
              pending: @outcome.pending }
          end

          def texts
            found = @entries.select { |_, entry| entry.is_a?(TextFile) }
            found.transform_values { |entry| [entry.text, entry.mode] }
          end

          def places = Places.of(@parts.context, @plan, @parts.items).to_s
          def record = { names: @record.names, watched: @record.watched, summary: @record.summary }

          def age
            @plan.release_age && Execution::ReleaseAges.new(@parts.context, @plan, @plan.release_age).list
          end
        end
      end
    end
  end
end
