# frozen_string_literal: true

module Spate
  module CLI
    # The output of commands.
    module Output
      autoload :Packages, "spate/cli/output/packages"
      autoload :PlainLog, "spate/cli/output/plain_log"
      autoload :Summary, "spate/cli/output/summary"
      autoload :Tally, "spate/cli/output/summary"
      %i[EditedFiles EditedGem].each { |name| autoload name, "spate/cli/output/edited_files" }
      %i[Progress ProgressLine].each { |name| autoload name, "spate/cli/output/progress" }
    end
  end
end
