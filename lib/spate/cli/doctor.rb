# frozen_string_literal: true

module Spate
  module CLI
    # `spate doctor`
    class Doctor < Command
      summary "Tell what is odd about machine, store and bundle, and what to do"
      usage "spate doctor [options]"
      bundle_options
      common_options
    end
  end
end
