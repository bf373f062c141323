# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # A request that cannot be understood; the connection ends with its answer.
      class BadRequest < StandardError
        attr_reader :status

        def initialize(reason, status = 400)
          super(reason)
          @status = status
        end
      end
    end
  end
end
