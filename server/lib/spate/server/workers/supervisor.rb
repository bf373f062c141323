# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # Supervises the workers until all have ended: handles signals, dead workers, hot restart and shutdown.
      class Supervisor
        SIGNALS = %w[TERM INT HUP USR2 CHLD].freeze

        # workers: a Prefork or a SingleProcess. program: has the methods `announce`, which is called when all workers
        # are ready, `restarting`, and `leave_admin`. restart_file: a RestartFile, or nil.
        def initialize(workers, program:, signals:, sockets:, command:, metrics:, notice:, log:, restart_file: nil)
          @workers = workers
          @restart_file = restart_file
          @program = program
          @signals = signals
          @sockets = sockets
          @command = command
          @metrics = metrics
          @notice = notice
          @log = log
        end

        # Returns when all workers have ended. Raises Server::Error when they cannot start.
        def run
          @metrics.state = "starting"
          @workers.start
          run_once until @workers.gone?
          return unless @failure

          raise Error.new("a worker ended with #{@failure} before it was ready", hint: "see its error above")
        end

        private

        def run_once
          look_after
          IO.select([@signals.io, *@workers.ios, @hot_restart&.io].compact, nil, nil, nap) unless @workers.gone?
          @signals.take.each { |name| obey(name) }
          @workers.tend
          check_restart if @hot_restart
          restart if @restart_file&.touched?
        end

        def look_after
          return if @ready || @stopping
          return give_up(@workers.failure) if @workers.failure
          return unless @workers.ready?

          @ready = true
          @metrics.state = "ok"
          @program.announce
        end

        # Seconds until the state must be checked again, or nil to wait for an event. A hot restart is checked every
        # second, because it has a timeout.
        def nap = [@workers.wait, (1 if @hot_restart), (RestartFile::PAUSE if @restart_file)].compact.min

        def obey(name)
          case name
          when "TERM", "INT" then stop
          when "HUP" then reload
          when "USR2" then restart
          end
        end

        def stop
          return @workers.halt if @stopping

          @notice.stopping unless @replaced
          @hot_restart&.cancel
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
          return @log.call("restart: the new server is still starting") if @hot_restart

          @program.restarting
          @hot_restart = HotRestart.new(@command, @sockets)
          @log.call("restart: process #{@hot_restart.pid} will take over")
        rescue SystemCallError => e
          @log.call("restart: the new server cannot be started: #{e.message}; this one continues")
        end

        def check_restart
          case @hot_restart.state
          when :ready
            @log.call("restart: process #{@hot_restart.pid} took over")
            @replaced = true
            @hot_restart = nil
            @program.leave_admin
            leave unless @stopping
          when :failed
            @log.call("restart: the new server did not start: #{@hot_restart.reason}; this one continues")
            @hot_restart = nil
          end
        end
      end

      # Makes received signals available through an IO.
      class Signals
        attr_reader :io

        def initialize(*names)
          @names = Thread::Queue.new
          @io, @writer = IO.pipe
          names.each { |name| Signal.trap(name) { note(name) } }
        end

        # Adds a name and wakes the reader. Also used for events other than signals.
        def note(name)
          @names << name
          @writer.write_nonblock("x", exception: false)
        rescue IOError
          nil
        end

        # Returns the names received since the last call.
        def take
          @io.read_nonblock(64, exception: false)
          Array.new(@names.size) { @names.pop }
        end
      end
    end
  end
end
