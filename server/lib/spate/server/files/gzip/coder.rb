# frozen_string_literal: true

require "spate/zlib"

module Spate
  module Server
    class Files
      class Gzip
        # Compresses a file piece by piece, on one thread at a time.
        class Coder
          # Bytes of the file per piece.
          PIECE = 131_072
          FORMAT = 31

          # found: an open Native::Found, which is not closed here.
          def initialize(found)
            @found = found
            @deflate = Zlib::Deflate.new(LEVEL, FORMAT)
            @offset = 0
            @done = false
          end

          # Whether the whole file has been compressed.
          def done? = @done

          # Returns the output for the next piece of the file, which may be empty. After the last piece, returns the
          # trailer. Raises Truncated when the file has changed.
          def next
            length = [PIECE, @found.size - @offset].min
            return finish if length.zero?

            bytes = @found.read(@offset, length)
            changed if bytes.empty?
            @offset += bytes.bytesize
            @deflate.deflate(bytes)
          end

          def close = @deflate.close

          private

          def finish
            changed if @found.altered?
            @done = true
            @deflate.finish
          end

          def changed = raise(Response::Body::Truncated, "#{@found.path} changed while it was sent")
        end
      end
    end
  end
end
