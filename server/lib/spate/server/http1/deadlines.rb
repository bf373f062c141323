# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # The timeouts of a connection, checked once a second.
      class Deadlines
        def initialize(limits)
          @limits = limits
          @body = Limits::MinimumRate.new(limits.body_seconds, limits.minimum_rate)
          @awaited_body = Limits::MinimumRate.new(limits.body_seconds, limits.body_rate)
          @response = Limits::MinimumRate.new(limits.response_seconds, limits.minimum_rate)
        end

        # now: seconds, monotonic. Returns the reason why the peer is late, or nil.
        def late(now, protocol)
          seconds = seconds(now, protocol.phase, protocol.count)
          case protocol.phase
          when :idle then "no request in #{@limits.idle} s" if seconds > @limits.idle
          when :head then "request fields incomplete after #{@limits.head_seconds} s" if seconds > @limits.head_seconds
          when :lingering then lingering(now, seconds, protocol.lingered)
          else exchange(now, seconds, protocol)
          end
        end

        private

        def lingering(now, seconds, bytes)
          @moved = now if seconds.zero? || bytes != @bytes
          @bytes = bytes
          "the rest of its request is not needed" if now - @moved >= Limits::LINGER || seconds >= Limits::LINGER_MOST
        end

        # Returns the seconds since the start of the current phase of the current request.
        def seconds(now, phase, count)
          @since = now if @phase != phase || @count != count
          @phase = phase
          @count = count
          now - @since
        end

        def exchange(now, seconds, protocol)
          if @limits.request_seconds && seconds > @limits.request_seconds
            "a request takes more than #{@limits.request_seconds} s"
          elsif @body.late?(now, protocol.received, protocol.asks?)
            @body.shortfall(" of a request's body")
          elsif @awaited_body.late?(now, protocol.received, protocol.thread_waits?)
            @awaited_body.shortfall(" of a body that a thread waits for")
          # Counts the bytes that the socket has accepted. Even if no output is pending, the exchange may have more to
          # send.
          elsif @response.late?(now, protocol.sent - protocol.pending, protocol.pending.positive? || protocol.sends?)
            "the peer reads #{@response.shortfall}"
          end
        end
      end
    end
  end
end
