# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      class Input
        # env["rack.input"] of a request without a body; shared by all of them.
        module Empty
          module_function

          # Returns what IO#read returns at the end.
          def read(length = nil, buffer = nil)
            buffer&.clear
            length.nil? || length.zero? ? buffer || +"" : nil
          end

          def readpartial(_length, _buffer = nil) = raise(EOFError, "end of file reached")

          # Checks the arguments like IO#gets.
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
