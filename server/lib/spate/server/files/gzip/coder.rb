# frozen_string_literal: true

require "spate/zlib"

module Spate
  module Server
    class Files
      class Gzip
        # The bytes of a file as gzip, piece by piece; on one thread at a time.
        class Coder
          # Bytes of the file that are coded at once.
          PIECE = 131_072
          FORMAT = 31

          # found: open; it stays so.
          def initialize(found)
            @found = found
            @deflate = Zlib::Deflate.new(LEVEL, FORMAT)
            @offset = 0
            @done = false
          end

          # Whether that was all.
          def done? = @done

          # What the next piece of the file comes to, perhaps nothing; the end of it after the last one. Truncated where
          # the file is no longer what it was.
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
