# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # What is remembered of a restore, and when. What says that all is in place goes first and comes last; what will
        # be there is told before it is, so that prune leaves it alone, and the next restore knows it after a kill.
        class Notes
          # What package managers keep about what they did.
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

          # Before anything is changed.
          def begin
            Memory::Record.forget(@store, @plan.root)
            forget_state if @parts.existed
            @outcome.builds = Memory::Places.builds(@context, @plan.root)
            places
          end

          # Where packages are; once for the same. built: keys of trees whose scripts ran or are about to.
          def places(built = [])
            noted = [built, @outcome.builds, @parts.slots.used, @parts.items.map(&:key)].map(&:dup)
            return if noted == @noted

            @noted = noted
            saved = Memory::Places.save(@context, @plan, @parts.items, built: built, builds: @outcome.builds,
                                                                       slots: @parts.slots.used)
            # Prune would take what nobody names.
            raise Store::ReadOnly.at(@store.root) if @parts.slots.any? && !saved
          end

          # When all is done. entries, state: paths.
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
