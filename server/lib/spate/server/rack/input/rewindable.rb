# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      class Input
        # A rewindable env["rack.input"]. The first read waits for the rest of the body and adds it to the buffered
        # part.
        class Rewindable
          # input: an Input for the part that is not buffered. buffered: a BufferedBody.
          def initialize(input, buffered)
            @input = input
            @buffered = buffered
            @whole = buffered.io if buffered.whole?
          end

          # The methods of IO.
          def read(...) = whole.read(...)
          def readpartial(...) = whole.readpartial(...)
          def gets(...) = whole.gets(...)
          def rewind = @whole && !@closed ? @whole.rewind : 0
          def size = whole.size
          def eof? = whole.eof?

          def each(*arguments, **options, &block)
            return to_enum(:each, *arguments, **options) unless block

            whole.each(*arguments, **options, &block)
            self
          end

          # Called when the application has finished the request.
          def close
            @closed = true
            @whole&.close
            @input.close
          end
          alias close_read close

          def trailers = @input.trailers
          def external_encoding = Encoding::BINARY
          def binmode = self

          private

          def whole
            raise @error if @error # after an error, the buffered parts are not a complete body

            @whole ||= @closed ? StringIO.new : @buffered.add(@input)
          rescue IOError, SystemCallError => e
            @error = e
            raise
          end
        end
      end
    end
  end
end
