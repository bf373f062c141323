# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # The process itself as the only worker: the reactor runs on the main thread, the supervisor on another.
      class SingleProcess
        # A process that a handler blocks is killed LATE seconds after the drain, or AT_ONCE seconds after a halt.
        LATE = Prefork::LATE
        AT_ONCE = Prefork::AT_ONCE

        # reload: called to read certificates and log files again.
        def initialize(reactor, drain:, &reload)
          @reactor = reactor
          @drain = drain
          @reload = reload
          @ended, @end = IO.pipe
        end

        def start = nil
        def ios = @gone ? [] : [@ended]
        def wait = @deadline && [@deadline - Server.now, 0].max
        def ready? = true
        def failure = nil
        def gone? = @gone
        def reload = @reload.call

        def tend
          @gone = true if @ended.read_nonblock(1, exception: false) != :wait_readable
          exit!(1) if @deadline && !@gone && Server.now >= @deadline
        end

        def stop
          @deadline = Server.now + @drain + LATE
          @reactor.stop
        end

        def halt
          @deadline = Server.now + AT_ONCE
          @reactor.halt
        end

        # Runs the reactor on the main thread until it ends.
        def work
          @reactor.run
        ensure
          @end.close
        end
      end
    end
  end
end
