# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Records the progress of a restore. Completion markers are removed first and written last. Expected packages
        # are recorded before they are placed, so that prune keeps them and the next restore knows them after a kill.
        class Notes
          # State files of package managers.
          STATE = "node_modules/{.package-lock.json,.modules.yaml,.pnpm/lock.yaml,.pnpm-workspace-state*.json}"

          # surroundings, sources: of Record; nil to keep none.
          def initialize(parts, surroundings, sources)
            @parts = parts
            @context = parts.context
            @plan = parts.plan
            @store = parts.store
            @outcome = parts.outcome
            @surroundings = surroundings
            @sources = sources
          end

          # Call before anything is changed.
          def begin
            Memory::Record.forget(@store, @plan.root)
            forget_state if @parts.existed
            @outcome.builds = Memory::Places.builds(@context, @plan.root)
            places
          end

          # Records where packages are, once for the same places. built: keys of trees whose scripts ran or will run.
          def places(built = [])
            noted = [built, @outcome.builds, @parts.slots.used, @parts.items.map(&:key)].map(&:dup)
            return if noted == @noted

            @noted = noted
            saved = Memory::Places.save(@context, @plan, @parts.items, built: built, builds: @outcome.builds,
                                                                       slots: @parts.slots.used)
            # Prune would delete slots that no record names.
            raise Store::ReadOnly.at(@store.root) if @parts.slots.any? && !saved
          end

          # Call when all is done. entries, state: paths.
          def end(entries, state)
            places(@outcome.built)
            return unless @surroundings && @sources && !@parts.scripts.unknown?

            names = Memory::Names.new(@parts.present, entries, state)
            Memory::Record.new(@plan.root, surroundings: @surroundings, sources: @sources, names: names.to_s,
                                           watched: names.watched, summary: summary).save(@store)
          end

          private

          # Only what is in folders of the project's own: what a link leads to is another's.
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
