# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Which settings of npm 11 and 12 and of pnpm 10 to 12 can make a frozen install refuse, do nothing or install
      # something else, and what becomes of each. js/docs/javascript.md has the same tables for users.
      #
      #   APPLIED    Spate refuses or chooses as the tool does
      #   LEFT       the restore is left to the tool, unless the setting has one of these values
      #   HARMLESS   everything else that the tools declare: other commands, resolving, the network, output
      #
      # A setting in none of the tables is left to the tool if the tool may know it.
      module KnownSettings
        autoload :Npm, "spate/js/tools/known_settings/npm"
        autoload :Pnpm, "spate/js/tools/known_settings/pnpm"
      end
    end
  end
end
