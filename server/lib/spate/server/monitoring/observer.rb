# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # Forwards events of the reactor and its connections. Each of the receivers may be nil.
      class Observer
        # metrics: Metrics. watched: the Metrics with which the parent process detects that this process hangs.
        # access_log: AccessLog. refusals: RefusalLog.
        def initialize(metrics: nil, watched: nil, access_log: nil, refusals: nil)
          @metrics = metrics
          @watched = watched
          @access_log = access_log
          @refusals = refusals
        end

        # Called when a request is over: its response is written completely, or its client is gone. status: nil if no
        # response was started. bytes: bytes of the body. seconds: seconds since the request's head.
        def answered(connection, request, status, bytes, seconds)
          @metrics&.answered(request, status, bytes, seconds)
          @access_log&.answered(connection, request, status, bytes, seconds)
        end

        # Called when a peer is refused. connection: nil if none was accepted. reason: a Symbol or a text. code: an
        # HTTP/2 error code, a status, or nil.
        def refused(connection, reason, code)
          @metrics&.refused(reason, code)
          @refusals&.refused(connection, reason, code)
        end

        def opened = @metrics&.opened

        # Called once a second on the reactor's thread.
        def every_second(reactor)
          @watched&.alive
          @metrics&.every_second(reactor)
          @access_log&.flush
          @refusals&.every_second
        end

        def close
          @access_log&.close
          @refusals&.flush
        end

        # Reopens log files, for log rotation.
        def reopen = @access_log&.reopen
      end
    end
  end
end
