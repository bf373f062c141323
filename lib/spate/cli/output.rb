# frozen_string_literal: true

module Spate
  module CLI
    # The output of commands.
    module Output
      autoload :EditedFiles, "spate/cli/output/edited_files"
      autoload :EditedGem, "spate/cli/output/edited_gem"
      autoload :Packages, "spate/cli/output/packages"
      autoload :PlainLog, "spate/cli/output/plain_log"
      autoload :Progress, "spate/cli/output/progress"
      autoload :ProgressLine, "spate/cli/output/progress_line"
      autoload :Summary, "spate/cli/output/summary"
      autoload :Tally, "spate/cli/output/tally"
    end
  end
end
