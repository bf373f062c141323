# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # env["rack.early_hints"]: fields that go before the answer, with status 103.
      class EarlyHints
        def initialize(request)
          @request = request
        end

        def call(headers)
          @request.inform(103, Fields.of(headers))
        end
      end
    end
  end
end
