# frozen_string_literal: true

require "stringio"

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

          def readpartial(_length, _buffer = nil) = raise(EOFError, "end of file reached")

          # The arguments are checked as for a body that is there.
          def gets(*arguments, chomp: false) = StringIO.new.gets(*arguments, chomp: chomp)

          def each(*arguments, chomp: false, &block)
            return to_enum(:each, *arguments, chomp: chomp) unless block

            StringIO.new.each(*arguments, chomp: chomp, &block)
            self
          end

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
