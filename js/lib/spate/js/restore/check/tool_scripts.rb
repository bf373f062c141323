# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Check
        # Packages of which npm or pnpm itself may have run scripts: where it has written its state since the last
        # restore, or there was none. npm before 12 and pnpm before 10 run all that no list denies.
        class ToolScripts
          LISTS_SINCE = { "npm" => 12, "pnpm" => 10 }.freeze

          def initialize(context, plan)
            @context = context
            @plan = plan
          end

          # Whether the tool has worked here last.
          def any? = !Memory::Record.load(@context.store, @plan.root)&.state?

          # Paths of their trees. facts: { path => Facts }
          def paths(facts)
            configuration = @context.configuration
            return [] if !any? || Scripts::Policy.of(@plan, configuration).silent?

            asking = Scripts.asking(@plan, facts, configuration)
            asking.select { |each| each.allowed.nil? ? unasked? : each.allowed }.map(&:path)
          end

          private

          def unasked? = @plan.major < LISTS_SINCE.fetch(@plan.tool)
        end
      end
    end
  end
end
