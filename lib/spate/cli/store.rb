# frozen_string_literal: true

module Spate
  module CLI
    # `spate store`
    class Store < Command
      summary "Look after the store"
      usage "spate store status|verify|prune|path [options]"
      bundle_options
      common_options
    end
  end
end
