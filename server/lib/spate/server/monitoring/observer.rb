# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # Passes on what the reactor and its connections report. Any of the receivers may be missing.
      class Observer
        # metrics: Metrics. access_log: AccessLog. refusals: RefusalLog.
        def initialize(metrics: nil, access_log: nil, refusals: nil)
          @metrics = metrics
          @access_log = access_log
          @refusals = refusals
        end

        # A request is over: its answer's last byte is on its way, or nobody waits for it any more. status: nil where no
        # answer began; bytes of the body, seconds since the request's head.
        def answered(connection, request, status, bytes, seconds)
          @metrics&.answered(request, status, bytes, seconds)
          @access_log&.answered(connection, request, status, bytes, seconds)
        end

        # connection: nil where there was none yet. reason: a Symbol or a text; code: of HTTP/2, a status, or nil.
        def refused(connection, reason, code)
          @metrics&.refused(reason, code)
          @refusals&.refused(connection, reason, code)
        end

        def opened = @metrics&.opened

        # Once a second, on the reactor's thread.
        def every_second(reactor)
          @metrics&.every_second(reactor)
          @access_log&.flush
          @refusals&.every_second
        end

        def close
          @access_log&.close
          @refusals&.flush
        end

        # Files were moved away.
        def reopen = @access_log&.reopen
      end
    end
  end
end
