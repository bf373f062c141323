# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class AccessLog
        # The common format, and where the client says that it comes from and what it is.
        class CombinedFormat < CommonFormat
          private

          def fields(peer, request, *)
            "#{super} #{Escaping.quoted(request["referer"])} #{Escaping.quoted(request["user-agent"])}"
          end
        end
      end
    end
  end
end
