# frozen_string_literal: true

module Spate
  module CLI
    # `spate setup`
    class Setup < Command
      summary "Put a launcher on the PATH that starts quickly"
      usage "spate setup [--dir DIR] [--force]"
      bundle_options
      common_options
    end
  end
end
