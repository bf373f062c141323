# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # Output for restoring JavaScript packages, alone or together with gems. Not loaded when only gems are installed.
      module Packages
        autoload :Notices, "spate/cli/output/packages/notices"
        autoload :PlainLog, "spate/cli/output/packages/plain_log"
        autoload :ProgressLine, "spate/cli/output/packages/progress_line"
        autoload :Summary, "spate/cli/output/packages/summary"
        autoload :Tally, "spate/cli/output/packages/tally"

        # Shows a progress line on a terminal, else one line for each event.
        def self.listener(terminal)
          (terminal.live? && !terminal.verbose? ? ProgressLine : PlainLog).new(terminal, tally: Tally.new)
        end
      end
    end
  end
end
