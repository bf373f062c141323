# frozen_string_literal: true

module Spate
  module Server
    module Rack
      class Input
        # env["rack.input"] of a request without a body; one for all.
        module Empty
          module_function

          # IO#read's answers at the end.
          def read(length = nil, buffer = nil)
            buffer&.clear
            length.nil? || length.zero? ? buffer || +"" : nil
          end

          def readpartial(*) = raise(EOFError, "end of file reached")
          def gets(*) = nil
          def each = block_given? ? self : [].each
          def rewind = 0
          def size = 0
          def close = nil
          def close_read = nil
          def trailers = {}
          def external_encoding = Encoding::BINARY
          def binmode = self
          def eof? = true
        end
      end
    end
  end
end
