# frozen_string_literal: true

module Spate
  module CLI
    # `spate edit`
    class Edit < Command
      summary "Give the bundle a private copy of a gem, to edit it"
      usage "spate edit GEM"
      bundle_options
      common_options
    end
  end
end
