# frozen_string_literal: true

module Spate
  module CLI
    module Output
      module Packages
        # As the log of an install of gems, with packages.
        class PlainLog < Output::PlainLog
          # "left to yarn: yarn.lock is its own"
          def self.handed_over(event)
            Ground::Terminal.plain("left to #{event[:tool]}: #{event[:reasons].join("; ")}")
          end

          private

          def line(event)
            case event[:event]
            when :js_handed_over then PlainLog.handed_over(event)
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
