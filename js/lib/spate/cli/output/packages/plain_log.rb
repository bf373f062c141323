# frozen_string_literal: true

module Spate
  module CLI
    module Output
      module Packages
        # Like the log of an install of gems, but with packages.
        class PlainLog < Output::PlainLog
          # "running `yarn install --immutable`"; "left to `npm ci`: a dependency from git"
          def self.tool(event)
            reasons = event[:reasons].join("; ")
            text = reasons.empty? ? "running `#{event[:command]}`" : "left to `#{event[:command]}`: #{reasons}"
            Util::Terminal.plain(text)
          end

          private

          def line(event)
            case event[:event]
            when :js_tool_start then PlainLog.tool(event)
            when :js_script_done
              "ran the scripts of #{event[:name]} in #{Units.seconds(event[:seconds].to_f)}" unless event[:cached]
            else super
            end
          end

          def detail(event)
            case event[:event]
            when :js_fetch_done then "fetched #{event[:name]} (#{Units.bytes(event[:bytes].to_i)})"
            when :js_unpacked then "unpacked #{event[:name]} (#{Units.count(event[:files].to_i, "file")})"
            when :js_linked then "linked #{event[:name]}"
            when :js_script_start then "running the scripts of #{event[:name]}"
            else super
            end
          end

          def stand = ProgressLine.new(@terminal, tally: @tally).parts
        end
      end
    end
  end
end
