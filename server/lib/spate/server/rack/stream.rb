# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # The argument of a streaming body: reads the request and writes the response, like a socket.
      class Stream
        def initialize(input, output)
          @input = input
          @output = output
        end

        def read(...) = @input.read(...)
        def readpartial(...) = @input.readpartial(...)
        def read_nonblock(...) = @input.read_nonblock(...)
        def gets(...) = @input.gets(...)
        def each(...) = @input.each(...)

        # Returns the number of bytes written. Raises IOError when the client is gone or the stream is closed.
        def write(*strings)
          raise IOError, "closed stream" if @written

          strings.sum do |string|
            bytes = string.to_s.b
            @output.push(bytes)
            bytes.bytesize
          end
        end

        # Same as `write`: writes all bytes, and may block.
        def write_nonblock(string, exception: true) # rubocop:disable Lint/UnusedMethodArgument -- never :wait_writable
          write(string)
        end

        def <<(string)
          write(string)
          self
        end

        def flush = self
        def sync = true
        def sync=(value); end

        def close_read = @input.close

        def close_write
          return if @written

          @written = true
          @output.finish
        end

        def close
          close_read
          close_write
        end

        def closed? = @written || false
      end
    end
  end
end
