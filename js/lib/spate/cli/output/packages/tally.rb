# frozen_string_literal: true

module Spate
  module CLI
    module Output
      module Packages
        # Totals over the events of gems and packages. Builds include both.
        class Tally < Output::Tally
          # packages: number in the plan, 0 until it is known. stored: how many of them are in the store so far.
          attr_reader :packages, :stored, :placed, :package_bytes

          def initialize(**)
            super
            @packages = @stored = @placed = @package_bytes = 0
          end

          def add(event)
            case event[:event]
            when :js_plan then js_plan(event)
            when :js_fetch_done then @package_bytes += event[:bytes].to_i
            when :js_unpacked then @stored += 1
            when :js_linked then @placed += 1
            when :js_tool_start then @tool = [event[:tool], @clock.call]
            when :js_tool_done then @tool = nil
            when :js_script_start then build_start(event)
            when :js_script_done then build_done(event)
            else super
            end
          end

          # [name, seconds] of the project's own tool while it runs, or nil.
          def tool
            name, since = @tool
            [name, @clock.call - since] if name
          end

          private

          def js_plan(event)
            @packages = event[:total].to_i
            @stored += [@packages - event[:fetch].to_i, 0].max if event[:fetch]
          end
        end
      end
    end
  end
end
