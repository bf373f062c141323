# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Checks the packages in the store and the trees in node_modules before anything is changed. Changes nothing.
        class Look
          def initialize(parts)
            @parts = parts
            @context = parts.context
            @plan = parts.plan
            @items = parts.items
            @report = parts.report
          end

          # Items that the store lacks, and trees that are already in place and correct.
          attr_reader :lacking, :placed

          # Raises errors that prevent the whole restore: UnknownPackage, Store::ReadOnly, NotLocalError.
          def call
            @context.options.check_names(@plan.trees)
            @lacking = @parts.packages.lacking(@items)
            in_place = Place::InPlace.new(@context, @plan, @items, @parts.folders, written: @parts.scripts.own?)
            @placed = in_place.call
            @placed += @parts.slots.complete if @parts.slots.any?
            refuse
            warn
            warn_of_edits(in_place.edited.reject { |tree| @parts.runs?(tree) })
            count
          end

          private

          def refuse
            raise Store::ReadOnly.at(@parts.store.root) if @lacking.any? && !@parts.store.writable?
            return unless @context.options.local

            absent = @lacking.reject { |item| item.package.file? || item.optional? || @parts.packages.base?(item) }
            raise NotLocalError, absent.map(&:full_name) if absent.any?
          end

          # Warns about packages without a digest or with a weak one. Also emits the tool's warnings.
          def warn
            @plan.warnings&.each { |message| warn_of(message, nil) }
            weak = @lacking.select { |item| item.integrity&.weak? }
            none = @lacking.select { |item| item.integrity.nil? && !item.package.file? }
            hint = "recreate the lockfile with a current version of the tool: it records SHA-512"
            warn_of("verified by SHA-1 only: #{named(weak)}", hint) if weak.any?
            warn_of("not verified, because the lockfile has no integrity: #{named(none)}", nil) if none.any?
          end

          def warn_of_edits(trees)
            return if trees.empty?

            names = trees.map { |tree| tree.names.last }.uniq.sort
            warn_of("edited in node_modules, and kept: #{NotLocalError.list(names)}",
                    "spate js --restore #{names.size > NotLocalError::NAMED ? "all" : names.join(",")}")
          end

          def named(items) = items.map(&:full_name).sort.then { |names| NotLocalError.list(names) }

          def warn_of(message, hint)
            @report.warnings << message
            @context.events.emit(:warning, message: message, hint: hint)
          end

          def count
            @report.tool = @plan.tool
            @report.root = @plan.root
            @report.total = @plan.trees.size
            @report.reused = @placed.size
            @context.events.emit(:js_plan, total: @plan.trees.size, fetch: @lacking.sum { |item| item.trees.size })
          end
        end

        # Records the progress of a restore. Completion markers are removed first and written last. Expected packages
        # are recorded before they are placed: prune then keeps them, and if this restore is killed, the next one has
        # the record.
        class Notes
          # State files of package managers.
          STATE = "node_modules/{.package-lock.json,.modules.yaml,.pnpm/lock.yaml,.pnpm-workspace-state*.json}"

          # surroundings, sources: see Memory::Record; nil to store no record.
          def initialize(parts, surroundings, sources)
            @parts = parts
            @context = parts.context
            @plan = parts.plan
            @store = parts.store
            @outcome = parts.outcome
            @surroundings = surroundings
            @sources = sources
          end

          # Call this before anything is changed.
          def begin
            Memory::Record.forget(@store, @plan.root)
            forget_state if @parts.existed
            @outcome.builds = Memory::Places.builds(@context, @plan.root)
            places
          end

          # Records the locations of packages, unless they are recorded already. built: keys of trees whose scripts ran
          # or will run.
          def places(built = [])
            noted = [built, @outcome.builds, @parts.slots.used, @parts.items.map(&:key)].map(&:dup)
            return if noted == @noted

            @noted = noted
            saved = Memory::Places.save(@context, @plan, @parts.items, built: built, builds: @outcome.builds,
                                                                       slots: @parts.slots.used)
            # Without a record, prune would delete the slots.
            raise Store::ReadOnly.at(@store.root) if @parts.slots.any? && !saved
          end

          # Call this at the end. entries, state: paths. Returns the Record, or nil if none was stored.
          def end(entries, state)
            places(@outcome.built)
            return unless @surroundings && @sources && !@parts.scripts.unknown?

            names = Memory::Names.new(@parts.present, entries, state)
            record = Memory::Record.new(@plan.root, surroundings: @surroundings, sources: @sources, names: names.to_s,
                                                    watched: names.watched, summary: summary)
            record if record.save(@store)
          end

          private

          # Removes only state files in the project's own folders, because a link may lead to another project.
          def forget_state
            Dir.glob(STATE, base: @plan.root).each do |path|
              @parts.trash.take(@context.path(path)) if @parts.folders.real?(File.dirname(path))
            end
          end

          def summary
            { "tool" => @plan.tool, "total" => @parts.present.size, "own" => ("runs" if @parts.scripts.own?),
              **@context.options.shape(@plan.omit) }.compact
          end
        end
      end
    end
  end
end
