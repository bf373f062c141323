# frozen_string_literal: true

module Spate
  module Server
    # What the command's options amount to: sockets, a handler, what watches over it, and the processes that work.
    class Program
      # The admin's port needs little.
      ADMIN_LIMITS = { connections: 100, idle: 30, drain: 1 }.freeze

      # values: what CommandLine's groups of options put together.
      def initialize(values, command:, out:, err:, env:)
        @values = values
        @command = command
        @out = out
        @err = err
        @env = env
        @log = Log.new(err)
        @limits = values[:limits] || Limits.new
        @limits[:drain] = values[:drain] if values[:drain]
        @workers = values[:workers]
      end

      # Serves until it is told to stop. Answers the exit code; Server::Error where it cannot begin.
      def run
        prepare
        @signals = Workers::Signals.new(*Workers::Steward::SIGNALS)
        admin
        @workers == 1 ? alone : together
        0
      ensure
        @pid_file&.remove
        leave_admin
        @log.flush
      end

      # All workers are ready: whoever waits for that is told.
      def announce
        @pid_file&.write
        Workers::Successor.ready(@env)
        @notice.ready
        @err.puts banner, *watched, *certificate
      end

      def inspect = "#<#{self.class}>"

      # The successor answers on the admin's port from now on.
      def leave_admin = @admin&.halt

      private

      # What can go wrong should do so before there are processes.
      def prepare
        @tls = Server::TLS.load(cert: @values[:cert], key: @values[:key]) if @values[:tls]
        @values[:rack] || files
        @counters = Metrics.counters(@workers)
        @metrics = Metrics.new(@counters, 0)
        @metrics.begin
        @notice = Workers::ServiceNotice.new(@env)
        @pid_file = @values[:pid_file] && Workers::PidFile.new(@values[:pid_file])
        observer(@metrics)
        @sockets = Workers::Sockets.new(main: @values.values_at(:host, :port), admin: @values[:admin], env: @env)
      end

      def files = @files ||= Files.new(@values[:folder], **@values.fetch(:files, {}))

      def handler
        made = @values[:rack] ? rack : files
        @values[:health] ? Admin::Beside.new(made, Admin.new(@counters)) : made
      end

      def rack
        Rack.handler(@values[:rack], log: @log, multiprocess: @workers > 1, **@values.slice(:threads, :waiting))
      end

      def observer(metrics)
        path = @values[:access_log]
        access_log = path && AccessLog.new(path, format: @values[:log_format], log: @log, out: @out) do |count|
          metrics.add(:unlogged, count)
        end
        refusals = Refusals.new(@log, counters: @counters)
        Observer.new(metrics: (metrics if @values[:admin]), access_log: access_log, refusals: refusals)
      end

      # The worker of a row.
      def worker(row)
        metrics = Metrics.new(@counters, row)
        metrics.begin
        Profile.attach(@values[:profile], worker: @workers > 1, log: @log)
        Workers::Worker.new(handler, observer(metrics), metrics: metrics, tls: @tls, log: @log) do |handler, observer|
          Reactor.new(@sockets.main, handler, observer: observer, limits: @limits, log: @log, tls: @tls,
                                              shared: @workers > 1)
        end
      end

      def alone
        worker = worker(1)
        crew = Workers::Solo.new(worker.reactor, drain: @limits.drain) { worker.reload }
        steward = Thread.new { attend(crew, worker.reactor) }
        steward.report_on_exception = false
        worker.work { crew.work }
        steward.join
      end

      # Nothing is served that nobody takes care of.
      def attend(crew, reactor)
        steward(crew).run
      ensure
        reactor.halt
      end

      def together
        fleet = Workers::Fleet.new(@workers, listener: @sockets.main, metrics: @metrics, drain: @limits.drain,
                                             log: @log) do |row, channel|
          Workers::Forked.new(channel, keep: [@sockets.main], err: @err).run { worker(row) }
        end
        steward(fleet).run
      end

      def steward(crew)
        Workers::Steward.new(crew, program: self, signals: @signals, sockets: @sockets, command: @command,
                                   metrics: @metrics, notice: @notice, log: @log)
      end

      def admin
        return unless @sockets.admin

        @admin = Reactor.new(@sockets.admin, Admin.new(@counters), limits: Limits.new(**ADMIN_LIMITS), log: @log)
        Thread.new { @admin.run }
      end

      # One line; the address is its end.
      def banner
        what = @values[:rack] ? @values[:rack].to_s : File.realpath(@values[:folder])
        workers = " with #{@workers} workers" if @workers > 1
        host = @values[:host] unless @sockets.inherited?
        "serving #{what}#{workers} on #{Listener.address(@sockets.main, host: host, scheme: @tls ? "https" : "http")}"
      end

      def watched = @sockets.admin && "watched on #{Listener.address(@sockets.admin)}#{Admin::METRICS}"

      def certificate
        path = @tls.certificate if @tls&.self_signed?
        "its certificate was made here: curl --cacert #{path}" if path
      end
    end
  end
end
