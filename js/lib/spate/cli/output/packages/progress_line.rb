# frozen_string_literal: true

module Spate
  module CLI
    module Output
      module Packages
        # The progress of both halves:
        #
        #     ⠼ gems 131/155 · packages 820/1356 · built 3/9 (nokogiri 0:14)
        #
        # A gem counts once it is in the bundle, a package once it is in the store: linking all packages takes only the
        # last tenth of a second.
        class ProgressLine < Output::ProgressLine
          def parts
            [count("gems", @tally.in_place + @tally.linked, @tally.total),
             count("packages", [@tally.stored, @tally.placed, @tally.packages].sort[1], @tally.packages),
             tool, builds].compact
          end

          private

          # "packages by yarn 0:14"
          def tool
            name, seconds = @tally.tool
            "packages by #{name} #{Units.clock(seconds)}" if name
          end

          def nothing_yet = "looking at lockfiles"

          def say(event)
            return super unless event[:event] == :js_tool_start

            clear
            @terminal.tell(PlainLog.tool(event))
          end
        end
      end
    end
  end
end
