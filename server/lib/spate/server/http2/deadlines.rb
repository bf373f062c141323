# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # The timeouts of a connection. Nothing is recorded per frame: once a second, the connection's counters are
      # compared with their previous values.
      class Deadlines
        # The content of the PING sent to a peer that is silent while it waits for a response.
        ALIVE = "alive?__"

        # The progress of one stream. since: when the stream was first checked. answered: when its response was found to
        # be complete. moved: when received bytes were last found. bytes: the number of received bytes.
        Progress = Struct.new(:since, :request, :body, :response, :answered, :moved, :bytes)

        def initialize(protocol, now)
          @protocol = protocol
          @limits = protocol.limits
          @opened_at = @quiet_since = now
          @outgoing = Limits::MinimumRate.new(@limits.response_seconds, @limits.minimum_rate)
          @progress = {}
        end

        # now: seconds, monotonic. Resets late streams. Raises ConnectionError for a late peer.
        def check(now)
          check_beginning(now)
          check_fields(now)
          check_body(now)
          check_outgoing(now)
          check_streams(now)
          check_idle(now)
        end

        private

        def fail_with(reason, code = ErrorCode::ENHANCE_YOUR_CALM) = raise(ConnectionError.new(reason, code))

        # Checks the start of the connection: sections 3.4 and 6.5.3.
        def check_beginning(now)
          return if @protocol.acknowledged?

          seconds = now - @opened_at
          if !@protocol.greeted? && seconds > @limits.head_seconds
            fail_with("no SETTINGS within #{@limits.head_seconds} s", ErrorCode::PROTOCOL_ERROR)
          end
          return if seconds <= @limits.settings_seconds

          fail_with("SETTINGS not acknowledged within #{@limits.settings_seconds} s", ErrorCode::SETTINGS_TIMEOUT)
        end

        # Checks for a frame or header block that stays incomplete. DATA has its own limit.
        def check_fields(now)
          open = !@protocol.open_block.nil? || (@protocol.partial.positive? && !@protocol.partial_data?)
          key = open && [@protocol.open_block&.stream, @protocol.open_block ? nil : @protocol.frames]
          @fields_since = now if key != @fields
          @fields = key
          return if !open || now - @fields_since <= @limits.head_seconds

          fail_with("a frame or header block is incomplete after #{@limits.head_seconds} s")
        end

        def check_body(now)
          return @body = nil unless @protocol.partial.positive? && @protocol.partial_data?

          @body ||= Limits::MinimumRate.new(@limits.body_seconds, @limits.minimum_rate)
          @body.late?(now, @protocol.frames * Protocol::MAX_FRAME + @protocol.partial, true) or return

          fail_with(@body.shortfall(" of DATA"))
        end

        # Checks whether output is stuck, because the socket accepts no bytes or the connection's window is closed.
        def check_outgoing(now)
          scheduler = @protocol.scheduler
          pending = @protocol.write_buffer.pending
          waiting = pending.positive? || scheduler.waiting?
          return unless @outgoing.late?(now, scheduler.sent - pending, waiting)

          fail_with("the peer reads #{@outgoing.shortfall}")
        end

        def check_streams(now)
          return @progress.clear if @protocol.streams.empty?

          @progress.delete_if { |stream, _| stream.closed? }
          late = []
          @protocol.streams.each { |stream| (reason = late(stream, now)) && late << [stream, reason] }
          late.each { |stream, reason| @protocol.streams.fail(StreamError.new(reason, ErrorCode::CANCEL, stream.id)) }
          check_answered(now)
        end

        # Resets answered streams whose requests are still incomplete. The rest of these requests is not needed (section
        # 8.1).
        def check_answered(now)
          late = @progress.select do |stream, progress|
            stream.state == :half_closed_local && unwanted?(progress, stream.received, now)
          end
          late.each_key { |stream| @protocol.streams.reset(stream.id, ErrorCode::NO_ERROR) }
        end

        def unwanted?(progress, bytes, now)
          progress.answered ||= now
          progress.moved = now if progress.bytes != bytes
          progress.bytes = bytes
          now - progress.moved >= Limits::LINGER || now - progress.answered >= Limits::LINGER_MOST
        end

        def late(stream, now)
          progress = @progress[stream] ||= begin_progress(now)
          if @limits.request_seconds && now - progress.since > @limits.request_seconds
            "takes more than #{@limits.request_seconds} s"
          elsif progress.request.late?(now, stream.received, stream.asks? && @protocol.window.open?)
            progress.request.shortfall(" of a request's body")
          elsif progress.body.late?(now, stream.received, stream.thread_waits? && @protocol.window.open?)
            progress.body.shortfall(" of a body that a thread waits for")
          elsif progress.response.late?(now, stream.sent, stream.stalled?)
            "the peer's window admits #{progress.response.shortfall}"
          end
        end

        def begin_progress(now)
          Progress.new(now, Limits::MinimumRate.new(@limits.body_seconds, @limits.minimum_rate),
                       Limits::MinimumRate.new(@limits.body_seconds, @limits.body_rate),
                       Limits::MinimumRate.new(@limits.response_seconds, @limits.minimum_rate))
        end

        # Without streams, the time since the last stream is limited, so PINGs do not keep a connection open. With
        # streams, a silent peer is probed with a PING.
        def check_idle(now)
          key = @protocol.streams.empty? ? [:idle, @protocol.streams.last] : [:busy, @protocol.frames]
          unless key == @quiet
            @quiet = key
            @quiet_since = now
            @asked = false
          end
          seconds = now - @quiet_since
          return end_quiet(seconds) if seconds >= @limits.idle

          ask if key.first == :busy && seconds >= @limits.idle / 2.0
        end

        def end_quiet(seconds)
          return fail_with("no request for #{seconds.floor} s", ErrorCode::NO_ERROR) if @protocol.streams.empty?

          fail_with("no response to a PING and no other data in #{seconds.floor} s") if @asked
        end

        def ask
          return if @asked

          @asked = true
          Frame::Ping.write(@protocol.write_buffer, ALIVE)
        end
      end
    end
  end
end
