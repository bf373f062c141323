# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class Admin
        # A handler that answers /-/health and passes other requests to another handler.
        class HealthRoute
          def initialize(handler, admin)
            @handler = handler
            @admin = admin
          end

          # Returns a Response, or nil when the response follows later.
          def call(request)
            @admin.health_of(request) || @handler.call(request)
          end

          def every_second = @handler.respond_to?(:every_second) && @handler.every_second
          def close = @handler.respond_to?(:close) && @handler.close
        end
      end
    end
  end
end
