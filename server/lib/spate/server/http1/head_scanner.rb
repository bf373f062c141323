# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # Finds the empty line that ends a section, in input that arrives in pieces. No byte is scanned twice, so slow
      # input costs no more than fast input.
      class HeadScanner
        LINES = "\r\n\r\n".b.freeze
        STRAY = /(?<!\r)\n/n

        # what: the name of the section, for error messages.
        def initialize(what)
          @what = what
          @looked = 0
        end

        # Returns the offset, relative to `from`, of the line end before the empty line, or nil when it has not arrived.
        # Raises BadRequest for a line that ends in LF alone, and for a section of more than `most` bytes.
        def find(view, from, to, most)
          length = [to - from, most + LINES.bytesize].min
          known = [@looked - LINES.bytesize + 1, 0].max
          text = view.get_bytes(from + known, length - known)
          at = text.index(LINES) and return known + at
          raise BadRequest, "a line of the #{@what} ends in LF alone" if text.match?(STRAY, known.zero? ? 0 : 1)
          raise BadRequest.new("more than #{most} bytes of #{@what}", 431) if length == most + LINES.bytesize

          @looked = length
          nil
        end
      end
    end
  end
end
