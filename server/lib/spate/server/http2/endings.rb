# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # How a connection and its streams end: by an error, by time, or because the server stops. Part of Protocol.
      module Endings
        # Seconds that a peer has to take the GOAWAY that ends its connection.
        LAST_WORDS = 1

        # Seconds, monotonic; asked once a second. What took too long is told to the peer; true where it does not take
        # that either.
        def late?(now)
          return now - (@failed_at ||= now) > LAST_WORDS if @failed

          @departure&.late(now)
          (@deadlines ||= Deadlines.new(self, now)).check(now)
          false
        rescue Server::ConnectionError => e
          fail_with(e)
          false
        ensure
          @connection.post { nil } unless @outbox.empty?
        end

        # Whether the connection is over once the outbox is empty.
        def finished? = @failed || (leaving? && @streams.empty?)

        # The server stops: what is open goes on (section 6.8).
        def leave
          return @leaves = true if @preface # SETTINGS come first

          @departure = Departure.new(self) unless @failed || @departure
        end

        # Whether requests are taken no more.
        def leaving? = @departure&.over? || false

        def close
          @allowance.give_back
          @streams.close_all
        end

        # Ends a stream from our side.
        def reset(id, code)
          Frame::RstStream.write(@outbox, id, code)
          @streams.remember_reset(id)
          @streams.forget(id)
        end

        # A response that cannot be sent to its end.
        def reset_failed(stream, error)
          @log&.call("stream #{stream.id}: #{error.class}: #{error.message}")
          reset(stream.id, Code::INTERNAL_ERROR)
        end

        # Ends a stream whose peer is too slow.
        def give_up(stream, reason) = end_stream(StreamError.new(reason, Code::CANCEL, stream.id))

        private

        # Resets that the peer provokes are as good for an attack as its own (CVE-2025-8671).
        def fail_stream(error)
          @patience.try("streams with errors")
          end_stream(error)
        end

        def end_stream(error)
          refused(error)
          reset(error.stream, error.code)
        end

        def fail_with(error)
          @failed = true
          code = error.is_a?(ConnectionError) ? error.code : Code::ENHANCE_YOUR_CALM # the outbox is full
          @connection.refused(error.message, code) unless code == Code::NO_ERROR
          Frame::GoAway.write(@outbox, @streams.last, code, error.message)
        rescue Server::ConnectionError
          nil # no room for it
        ensure
          @streams.close_all
        end

        def refused(error) = @connection.refused(error.message, error.code)
      end
    end
  end
end
