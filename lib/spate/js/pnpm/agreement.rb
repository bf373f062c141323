# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Whether lockfile, package.json files and settings say the same, as `--frozen-lockfile` demands.
      class Agreement
        def initialize(lockfile, workspace, settings)
          @lockfile = lockfile
          @workspace = workspace
          @settings = settings
        end

        # Raises DisagreementError.
        def check; end
      end
    end
  end
end
