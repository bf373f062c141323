# frozen_string_literal: true

module Spate
  module Server
    class AccessLog
      # Common, and where the client says that it comes from and what it is.
      class Combined < Common
        private

        def fields(peer, request, *)
          "#{super} #{Escape.quoted(request["referer"])} #{Escape.quoted(request["user-agent"])}"
        end
      end
    end
  end
end
