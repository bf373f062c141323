# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # What makes work and is no request: resets (the peer's and those it provokes), pings, settings, empty frames.
      # So many in a burst and so many a second are borne; more is an attack (CVE-2023-44487, 2025-8671, 2019-9512 and
      # its like).
      class Patience
        def initialize(burst, a_second, clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
          @burst = burst
          @a_second = a_second
          @clock = clock
          @left = burst.to_f
          @since = nil
        end

        # ConnectionError when there is no more.
        def try(what)
          @left -= 1
          return if @left.positive?

          refill
          raise ConnectionError.new("too many: #{what}", Code::ENHANCE_YOUR_CALM) unless @left.positive?
        end

        private

        def refill
          now = @clock.call
          @left = [@left + (now - @since) * @a_second, @burst.to_f].min if @since
          @since = now
        end
      end
    end
  end
end
