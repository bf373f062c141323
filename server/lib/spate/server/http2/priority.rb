# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # How urgent a response is: RFC 9218, as one small number, twice the urgency (0 first, 7 last) and 1 where it is
      # incremental: parts of it are of use, so it shares the connection with others of its urgency.
      module Priority
        URGENCIES = 8
        # Of a request without a signal: urgency 3. It shares, since its peer may not know of priorities at all and must
        # not wait for a long response of another.
        UNTOLD = 7

        def self.urgency(number) = number >> 1
        def self.incremental?(number) = number.odd?
      end
    end
  end
end
