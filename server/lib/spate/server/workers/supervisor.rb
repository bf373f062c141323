# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # Looks after the workers as long as there are any: signals, deaths, a successor, the end.
      class Supervisor
        SIGNALS = %w[TERM INT HUP USR2 CHLD].freeze

        # workers: a Prefork or a SingleProcess. program: answers to `announce` when all are ready, and to
        # `leave_admin`.
        def initialize(workers, program:, signals:, sockets:, command:, metrics:, notice:, log:)
          @workers = workers
          @program = program
          @signals = signals
          @sockets = sockets
          @command = command
          @metrics = metrics
          @notice = notice
          @log = log
        end

        # Returns when all workers ended. Server::Error where they cannot even begin.
        def run
          @metrics.state = "starting"
          @workers.start
          run_once until @workers.gone?
          return unless @failure

          raise Error.new("a worker ended with #{@failure} before it was ready", hint: "what it said is above")
        end

        private

        def run_once
          look_after
          IO.select([@signals.io, *@workers.ios, @successor&.io].compact, nil, nil, nap) unless @workers.gone?
          @signals.take.each { |name| obey(name) }
          @workers.tend
          succeed if @successor
        end

        def look_after
          return if @ready || @stopping
          return give_up(@workers.failure) if @workers.failure
          return unless @workers.ready?

          @ready = true
          @metrics.state = "ok"
          @program.announce
        end

        # A worker's byte may come between a look and the next sleep; and a successor has a limit of time.
        def nap = [@workers.wait, (1 if @successor)].compact.min

        def obey(name)
          case name
          when "TERM", "INT" then stop
          when "HUP" then reload
          when "USR2" then restart
          end
        end

        def stop
          return @workers.halt if @stopping

          @notice.stopping unless @succeeded
          @successor&.cancel
          leave
        end

        def leave
          @stopping = true
          @metrics.state = "draining"
          @workers.stop
        end

        def give_up(failure)
          @failure = failure
          @stopping = true
          @workers.halt
        end

        def reload
          @notice.reloading
          @workers.reload
          @notice.ready
        end

        def restart
          return if @stopping
          return @log.call("restart: the new server is still starting") if @successor

          @successor = Successor.new(@command, @sockets)
          @log.call("restart: process #{@successor.pid} is to take over")
        rescue SystemCallError => e
          @log.call("restart: the new server cannot be started: #{e.message}; this one goes on")
        end

        def succeed
          case @successor.state
          when :ready
            @log.call("restart: process #{@successor.pid} took over")
            @succeeded = true
            @successor = nil
            @program.leave_admin
            leave unless @stopping
          when :failed
            @log.call("restart: the new server did not start: #{@successor.reason}; this one goes on")
            @successor = nil
          end
        end
      end
    end
  end
end
