# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      class Input
        # The fields after a body (RFC 9112, section 7.1.2).
        module Trailers
          attr_writer :trailers

          # Returns {} without trailers.
          def trailers = @trailers || {}
        end

        # env["rack.input"] of a complete body that is short or empty. Its String has to be binary.
        class Memory < StringIO
          include Trailers
        end
      end
    end
  end
end
