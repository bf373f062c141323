# frozen_string_literal: true

module Spate
  module CLI
    # `spate list`
    class List < Command
      summary "List the bundle's gems"
      usage "spate list [options]"
      bundle_options
      common_options
    end
  end
end
