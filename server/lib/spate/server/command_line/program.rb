# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # The server that the options describe: sockets, a handler, monitoring and worker processes.
      class Program
        # The admin port needs few connections.
        # Seconds without a response after which a worker is replaced: the default, and the least. Workers report at
        # least every two seconds, if the machine is not busy.
        WORKER_TIMEOUT = 60
        LEAST_TIMEOUT = 5
        ADMIN_LIMITS = { connections: 100, idle: 30, drain: 1 }.freeze

        # values: the Hash of CommandLine's option groups.
        def initialize(values, command:, out:, err:, env:)
          @values = values
          @hooks = values.fetch(:hooks, {})
          @command = command
          @out = out
          @err = err
          @env = env
          @log = Monitoring::Log.new(err)
          @limits = values[:limits] || Limits.new
          @limits[:drain] = values[:drain] if values[:drain]
          @workers = values[:workers]
        end

        # Serves until it is stopped. Yields this object before serving. Returns the exit code. Raises Server::Error if
        # it cannot start.
        def run
          prepare
          @signals = Workers::Signals.new(*Workers::Supervisor::SIGNALS)
          admin
          yield self if block_given?
          @workers == 1 ? alone : together
          0
        ensure
          @files_of_process&.each(&:remove)
          leave_admin
          run_hooks(:after_stopped)
          @log.flush
        end

        # Finishes open requests, then stops.
        def stop = @signals.note("TERM")
        alias shutdown stop

        # Returns the server's addresses: "http://127.0.0.1:8080 and https://127.0.0.1:8443".
        def address
          listeners.each_with_index.map do |(socket, tls), index|
            host = addresses[index]&.first unless @sockets.inherited?
            Reactor::Listener.address(socket, host: host, scheme: tls ? "https" : "http")
          end.join(" and ")
        end

        # Called when all workers are ready. Notifies the service manager and, in a hot restart, the old server.
        def announce
          @files_of_process.each(&:write)
          Process.setproctitle("spate-serve: #{address} [#{@values[:tag]}]") if @values[:tag]
          # When the old server exits, rackup removes the pid file of Rails, so it is written again.
          Workers::HotRestart.ready(@env) { @files_of_process.each(&:restore) }
          @notice.ready
          @err.puts(*banner, *watched, *@access&.to_s, *certificate, *exposed)
          run_hooks(:after_booted)
        end

        # Called before a new server is started that replaces this one.
        def restarting = run_hooks(:before_restart)

        def inspect = "#<#{self.class}>"

        # Called after a hot restart: the new server now answers on the admin port.
        def leave_admin = @admin&.halt

        private

        # Detects errors in the options before any process is started.
        def prepare
          configure
          Profile.prepare(@values[:profile])
          secure = addresses.any?(&:last)
          @tls = Server::Connection::TLS.load(cert: @values[:cert], key: @values[:key]) if secure
          @values[:rack] || @values[:cache] || files
          @counters = Monitoring::Metrics.counters(@workers)
          @metrics = Monitoring::Metrics.new(@counters, 0)
          @metrics.begin
          prepare_cache if @values[:cache]
          @notice = Workers::SystemdNotifier.new(@env)
          @files_of_process = files_of_process
          observer(@metrics)
          @sockets = Workers::Sockets.new(mains: addresses, admin: @values[:admin], env: @env)
        end

        # Returns [[host, port, whether to use TLS], ...].
        def addresses = [@values.values_at(:host, :port, :tls), *@values[:more]]

        # Returns { listening socket => result of TLS.load, or nil }. The order of inherited sockets may be that of
        # another configuration. Sockets from systemd for which no address is known are treated like the first one.
        def listeners
          known = addresses
          @sockets.mains.each_with_index.to_h do |socket, index|
            same = [known[index], *known].compact.find { |address| Reactor::Listener.of?(socket, *address) }
            [socket, ((same || known[index] || known.first).last ? @tls : nil)]
          end
        end

        def files_of_process
          path, state, permissions = @values.values_at(:pid_file, :state_path, :state_permission)
          [(Workers::PidFile.new(path) if path), (Workers::PidFile.state(state, permissions) if state)].compact
        end

        # Applies the directives that concern the process. A preloaded application shares memory between workers.
        def configure
          out, err, mode = @values[:redirect]
          $stdout.reopen(out, mode).sync = true if out
          $stderr.reopen(err, mode).sync = true if err
          @values[:notes]&.each { |note| @log.call(note) }
          Dir.chdir(@values[:directory]) if @values[:directory]
          ENV["RACK_ENV"] = @values[:environment] if @values[:environment]
          @application = @values[:application]
          @application ||= Rack::Application.load(@values[:rack]) if @values[:preload] && @workers > 1
        rescue SystemCallError => e
          raise Error.new(e.message, hint: "correct the configuration file")
        end

        # Logs a hook's error, as puma does. Otherwise it could end a server that is serving.
        def run_hooks(name, *arguments)
          @hooks[name]&.each do |hook|
            hook.call(*arguments)
          rescue StandardError, ScriptError => e # such as a missing gem
            @log.call("#{name}: #{e.message} (#{e.class})")
            @log.flush
          end
        end

        # Opens the cache only to check the folder. Workers open it again.
        def prepare_cache
          @access = ContentOptions.access(@values[:caching], @env)
          Cache::Folder.new(@values[:cache])
          @metrics.set(:cache, 1)
          @metrics.set(:cache_limit, @values[:caching].fetch(:limit, Cache::LIMIT) || 0)
        end

        def files = @files ||= Files.new(@values[:folder], **@values.fetch(:files, {}))

        def handler(metrics)
          made = served(metrics)
          @values[:health] ? Monitoring::Admin::HealthRoute.new(made, Monitoring::Admin.new(@counters)) : made
        end

        def served(metrics)
          return cache(metrics) if @values[:cache]

          @values[:rack] ? rack(metrics) : files
        end

        def rack(metrics)
          queue_time = metrics.method(:queued) if @values[:admin]
          Rack.handler(@application || @values[:rack], log: @log, multiprocess: @workers > 1, hooks: @hooks,
                                                       queue_time: queue_time,
                                                       **@values.slice(:threads, :waiting, :trusted_proxies, :sendfile))
        end

        def cache(metrics)
          Cache.new(@values[:cache], access: @access, workers: @workers, log: @log, metrics: metrics,
                                     **@values[:caching].slice(:limit, :document))
        end

        def observer(metrics, watched: nil)
          path = @values[:access_log]
          access_log = path && Monitoring::AccessLog.new(path, format: @values[:log_format], log: @log,
                                                               out: @out) do |count|
            metrics.add(:unlogged, count)
          end
          refusals = Monitoring::RefusalLog.new(@log, counters: @counters)
          Monitoring::Observer.new(metrics: (metrics if @values[:admin]), watched: watched, access_log: access_log,
                                   refusals: refusals)
        end

        # row: the index of the worker's counters.
        def worker(row)
          metrics = Monitoring::Metrics.new(@counters, row)
          metrics.begin
          Profile.attach(@values[:profile], worker: @workers > 1, log: @log)
          Process.setproctitle("spate-serve: worker #{row} [#{@values[:tag]}]") if @values[:tag] && @workers > 1
          run_hooks(:before_worker_boot, row - 1) if @workers > 1
          handler = handler(metrics)
          watched = metrics if @workers > 1
          Workers::Worker.new(handler, observer(metrics, watched: watched), metrics: metrics, tls: @tls,
                                                                            log: @log) do |_, observer|
            Reactor.new(listeners, handler, observer: observer, limits: @limits, log: @log, shared: @workers > 1,
                                            proxy_protocol: @values[:proxy_protocol])
          end
        end

        def alone
          worker = worker(1)
          workers = Workers::SingleProcess.new(worker.reactor, drain: @limits.drain) { worker.reload }
          supervising = Thread.new { attend(workers, worker.reactor) }
          supervising.report_on_exception = false
          worker.work { workers.work }
          supervising.join
        end

        # Stops serving when the supervisor ends.
        def attend(workers, reactor)
          supervisor(workers).run
        ensure
          reactor.halt
        end

        def together
          options = { drain: @limits.drain, timeout: @values.fetch(:worker_timeout, WORKER_TIMEOUT),
                      boot_timeout: @values[:worker_boot_timeout] }
          workers = Workers::Prefork.new(@workers, listeners: @sockets.mains, metrics: @metrics, log: @log,
                                                   hook: method(:run_hooks), **options) do |row, channel|
            Workers::ChildMain.new(channel, keep: @sockets.mains, err: @err).run { worker(row) }
          ensure
            run_hooks(:before_worker_shutdown, row - 1)
          end
          run_hooks(:before_fork)
          supervisor(workers).run
        end

        def supervisor(workers)
          Workers::Supervisor.new(workers, program: self, signals: @signals, sockets: @sockets, command: @command,
                                           metrics: @metrics, notice: @notice, log: @log,
                                           restart_file: (Workers::RestartFile.new if @values[:restart_file]))
        end

        def admin
          return unless @sockets.admin

          @admin = Reactor.new(@sockets.admin, Monitoring::Admin.new(@counters), limits: Limits.new(**ADMIN_LIMITS),
                                                                                 log: @log)
          Thread.new { @admin.run }
        end

        # Returns one line that ends with the server's address.
        def banner
          return if @values[:quiet]

          what = @values[:rack] || File.realpath(@values[:cache] || @values[:folder])
          what = "the cache #{what}" if @values[:cache]
          workers = " with #{@workers} workers" if @workers > 1
          "serving #{what}#{workers} on #{address}"
        end

        def watched
          admin = @sockets.admin
          "monitoring on #{Reactor::Listener.address(admin)}#{Monitoring::Admin::METRICS}" if admin
        end

        # Returns warnings about a cache that other machines can reach.
        def exposed
          ContentOptions.warnings(open: @values[:caching][:open], tls: @tls) if @values[:cache] && !loopback?
        end

        def loopback?
          @sockets.mains.map(&:local_address).all? do |address|
            address.ip? && (address.ipv4_loopback? || address.ipv6_loopback?)
          end
        end

        def certificate
          path = @tls.certificate if @tls&.self_signed?
          "self-signed certificate: curl --cacert #{path}" if path
        end
      end
    end
  end
end
