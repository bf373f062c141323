# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # Where lines end that come in pieces: at an empty one. What was looked at once is not looked at again, so that
      # lines that drip in cost no more than others.
      class HeadScanner
        LINES = "\r\n\r\n".b.freeze
        STRAY = /(?<!\r)\n/n

        # what: that the lines are of, for messages.
        def initialize(what)
          @what = what
          @looked = 0
        end

        # The offset behind `from` where the empty line's end begins that is before it, or nil where it did not come
        # yet. BadRequest where a line ends in LF alone, or there are more than so many bytes.
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
