# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      class Input
        # A rewindable env["rack.input"]. The first read waits for the rest of the body and adds it to the buffered
        # part.
        class Rewindable
          # The methods of StringIO that wait for the body. A body in a file lacks `string`.
          METHODS = StringIO.public_instance_methods - Object.public_instance_methods -
                    %i[rewind close close_read closed?]
          METHODS.each do |name|
            define_method(name) do |*arguments, **options, &block|
              result = whole.public_send(name, *arguments, **options, &block)
              result.equal?(@whole) ? self : result
            end
          end

          # input: an Input for the part that is not buffered. buffered: a BufferedBody.
          def initialize(input, buffered)
            @input = input
            @buffered = buffered
          end

          # Does not wait for the body.
          def rewind = @whole ? @whole.rewind : 0

          # Called when the application finishes the request.
          def close
            @closed = true
            @whole&.close
            @input.close
          end
          alias close_read close

          def closed? = @closed || false
          def trailers = @input.trailers

          private

          def whole
            raise @error if @error # after an error, the buffered parts are not a complete body
            raise IOError, "closed stream" if @closed && !@whole

            @whole ||= @buffered.add(@input)
          rescue IOError, SystemCallError => e
            @error = e
            raise
          end
        end
      end
    end
  end
end
