# frozen_string_literal: true

require "test_helper"
require "openssl"
require "support/rack_apps"
require "yaml"

module Spate
  module Server
    # Configuration files in puma's style: each directive of puma 8, and a server that runs with a file.
    class ConfigurationTest < Minitest::Test
      # The public methods of Puma::DSL in puma 8.0, with the older names that it accepts.
      PUMA = %i[
        activate_control_app after_booted after_refork after_stopped after_worker_boot after_worker_fork
        after_worker_shutdown app before_fork before_refork before_restart before_thread_exit before_thread_start
        before_worker_boot before_worker_fork before_worker_shutdown bind bind_to_activated_sockets clean_thread_locals
        clear_binds! cluster custom_logger debug directory drain_on_shutdown early_hints enable_keep_alives environment
        extra_runtime_dependencies fiber_per_request first_data_timeout force_shutdown_after fork_worker get
        http_content_length_limit idle_timeout inject io_selector_backend load log_formatter log_requests
        lowlevel_error_handler max_fast_inline max_io_threads max_keep_alive
        mutate_stdout_and_stderr_to_sync_on_write on_booted on_refork on_restart on_stopped on_thread_exit
        on_thread_start on_worker_boot on_worker_fork on_worker_shutdown out_of_band persistent_timeout pidfile plugin
        port preload_app! prune_bundler queue_requests quiet rack_url_scheme rackup raise_exception_on_sigterm
        restart_command set_default_host set_remote_address shutdown_debug silence_fork_callback_warning
        silence_single_worker_warning single ssl_bind state_path state_permission stdout_redirect
        supported_http_methods tag threads wait_for_less_busy_worker worker_boot_timeout worker_check_interval
        worker_culling_strategy worker_shutdown_timeout worker_timeout workers
      ].freeze
      SERVE = File.expand_path("../../exe/spate-serve", __dir__)
      DOCS = File.expand_path("../../docs/puma.md", __dir__)

      def configure(text, **values) = CommandLine::Configuration.new(write("puma.rb", text), values)
      def values(text, **given) = configure(text, **given).values
      def refusal(text) = assert_raises(Error, text) { configure(text) }.message

      def test_every_directive_of_puma_is_known_and_documented
        known = CommandLine::Configuration::Directives.public_instance_methods(false)
        assert_empty PUMA - known
        old = CommandLine::Configuration::Directives::ALIASES.keys +
              CommandLine::Configuration::Directives::HOOKS.values.flatten
        rows = File.readlines(DOCS).grep(/^\| `/).map { |line| line.split(" | ", 2).first }.join
        assert_empty(PUMA - old - rows.scan(/`([a-z_]+!?)`/).flatten.map(&:to_sym))
      end

      def test_addresses
        { "port 3000" => ["0.0.0.0", 3000], "port '3000', '::1'" => ["::1", 3000],
          "set_default_host '127.0.0.1'\nport 1" => ["127.0.0.1", 1], "bind 'tcp://[::]:80'" => ["::", 80],
          "bind 'unix:///run/an%20app.sock'" => ["unix:/run/an app.sock", 0],
          "bind 'tcp://x:1'\nclear_binds!\nport 2" => ["0.0.0.0", 2] }.each do |text, expected|
          assert_equal expected, values(text).values_at(:host, :port), text
        end
        tls = values("ssl_bind '0.0.0.0', '9292', cert: 'a.pem', key: 'b.pem'")
        assert_equal ["0.0.0.0", 9292, true, "a.pem", "b.pem"], tls.values_at(:host, :port, :tls, :cert, :key)
      end

      def test_values
        text = <<~RUBY
          threads 0, "16"
          workers "auto"
          environment :staging
          persistent_timeout 20
          first_data_timeout 5
          http_content_length_limit 1000
          force_shutdown_after :immediately
          log_requests
          set_remote_address proxy_protocol: :v1
        RUBY
        read = values(text)
        assert_equal({ idle: 20, head_seconds: 5, body: 1000 }, read[:limits])
        expected = { threads: 16, workers: Etc.nprocessors, environment: "staging", drain: 0.0, access_log: "-",
                     log_format: "common", proxy_protocol: true }
        assert_equal expected, read.slice(*expected.keys)
        assert_equal 5, values("single { threads 5 }\ncluster { threads 6 }")[:threads]
        assert_equal 6, values("single { threads 5 }\ncluster { threads 6 }\nworkers 2")[:threads]
        assert_equal 6, values("single { threads 5 }\ncluster { threads 6 }", workers: 2)[:threads]
      end

      def test_refused_directives_name_the_line
        assert_match(/puma.rb:2: ssl_bind: |puma.rb:2: bind: .*different certificate/,
                     refusal("bind 'ssl://x:1'\nbind 'ssl://x:2?cert=a.pem'"))
        ["plugin :solid_queue", "app { }", "bind 'unix:///x?umask=0111'", "bind 'ssl://x:1?verify_mode=peer&ca=x'",
         "bind 'unix://@x'", "bind 'tcp://x'", "bind 'tcp://x y'", "persistent_timeout -1", "first_data_timeout nil",
         "set_remote_address header: 'x'", "enable_keep_alives false", "out_of_band { }"].each do |text|
          assert_match(/puma.rb:1: #{text[/set_\w+|en\w+|bind|app|plugin|\w+_timeout|out_\w+/]}/, refusal(text), text)
        end
        assert_match(/unknown directive fly/, refusal("fly 1"))
        assert_match(/puma.rb: divided by 0 \(ZeroDivisionError\)/, refusal("1 / 0"))
        assert_match(/SyntaxError/, refusal("port("))
      end

      def test_directives_without_effect_are_reported
        assert_match(/puma.rb: worker_check_interval has no effect/, configure("worker_check_interval 5").notes.join)
        assert_empty configure("early_hints\nquiet\nsilence_single_worker_warning").notes
      end

      def test_environment_variables
        read = ->(env) { CommandLine::Configuration.environment(env) }
        assert_equal({ port: 5, workers: 3 }, read.call("PORT" => "5", "WEB_CONCURRENCY" => "3"))
        assert_equal({ workers: 1 }, read.call("PORT" => "", "WEB_CONCURRENCY" => "0"))
        assert_empty read.call({})
        assert_raises(Error) { read.call("WEB_CONCURRENCY" => "many") }
        assert_raises(Error) { read.call("WEB_CONCURRENCY" => "1025") }
        assert_raises(Error) { read.call("PORT" => "x") }
      end

      FILE = <<~RUBY
        threads 2, 2
        port ENV.fetch("PORT", 3000)
        plugin :tmp_restart
        pidfile ENV["PIDFILE"] if ENV["PIDFILE"]
        workers 2
        preload_app!
        environment "production"
        before_fork { $order = ["fork"] }
        before_worker_boot { |index| $order << index.to_s }
        on_booted { warn "booted" }
        on_worker_shutdown { |index| warn "ended \#{index}" }
      RUBY
      APPLICATION = <<~RUBY
        loaded = Process.pid
        run(lambda do |env|
          [200, {}, [[$order.first, $order.size, loaded == Process.ppid, ENV["RACK_ENV"], env["REMOTE_ADDR"]].join(" ")]]
        end)
      RUBY

      def start(*options, file: FILE, application: APPLICATION, **env)
        RackApps.make
        write("config.ru", application)
        write("config/puma.rb", file)
        RackApps.new(folder) do |port|
          variables = env.map { |name, value| "#{name}=#{value}" }
          ["env", "PORT=#{port}", *variables, RbConfig.ruby, SERVE, "--rack", File.join(folder, "config.ru"), *options]
        end
      end

      def get(socket, path = "/")
        socket.write("GET #{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        Timeout.timeout(30) { socket.read }.lines.last
      end

      def test_server_with_a_file
        server = start(PIDFILE: File.join(folder, "pid"))
        assert_equal "fork 2 true production 127.0.0.1", get(TCPSocket.new("127.0.0.1", server.port))
        assert_match(/\A\d+\s*\z/, File.read(File.join(folder, "pid")))
        assert_equal 0, server.stop(:TERM)
        log = File.read(server.log)
        assert_match(/with 2 workers on .*booted/m, log)
        assert_equal %w[0 1], log.scan(/ended (\d)/).flatten.sort
      end

      BINDS = <<~'RUBY'
        bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
        bind "unix://#{Dir.pwd}/app.sock"
        bind "ssl://127.0.0.1:0"
        workers 2
        before_worker_boot { $order = [] }
      RUBY

      def test_several_addresses
        server = start(file: BINDS)
        log = wait_for(server, /serving .*/)
        assert_match(%r{ on http://127.0.0.1:#{server.port} and unix:.*/app.sock and https://127.0.0.1:\d+$}, log)
        assert_match(/\A 0 false/, get(TCPSocket.new("127.0.0.1", server.port)))
        assert_match(/\A 0 false/, get(UNIXSocket.new(File.join(folder, "app.sock"))))
        port = log[%r{https://127.0.0.1:(\d+)}, 1].to_i
        assert_match(/\A 0 false/, get(OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", port)).tap(&:connect)))
        refute_match(/false/, get(TCPSocket.new("127.0.0.1", port)).to_s)
        assert_equal 0, server.stop(:TERM)
      end

      # Otherwise the port of https would be in clear text.
      def test_hot_restart_with_another_order_of_addresses
        secure, clear = ["bind 'ssl://127.0.0.1:' + ENV['PORT']\n", "bind 'unix://' + Dir.pwd + '/app.sock'\n"]
        application = "run ->(_env) { [200, {}, ['right']] }"
        server = start(file: "#{secure}#{clear}pidfile 'pid'\n", application: application)
        wait_for(server, /serving/)
        before = File.read("#{folder}/pid")
        write("config/puma.rb", "#{clear}#{secure}pidfile 'pid'\n")
        Process.kill(:USR2, before.to_i)
        Timeout.timeout(60) { Thread.pass while File.read("#{folder}/pid") == before }
        tls = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", server.port)).tap(&:connect)
        assert_equal %w[right right], [get(tls), get(UNIXSocket.new("#{folder}/app.sock"))]
      ensure
        Process.kill(:TERM, File.read("#{folder}/pid").to_i)
        server.stop
        Timeout.timeout(30) { Thread.pass while File.exist?("#{folder}/pid") }
      end

      # The hooks that run in the parent, in threads, and for errors of the application.
      HOOKS = <<~'RUBY'
        threads 1
        workers 2
        tag "shop"
        state_path "state.yml"
        state_permission 0o600
        before_worker_fork { |index| warn "forks #{index} in #{Process.pid}" }
        after_worker_fork { |index| warn "forked #{index} in #{Process.pid}" }
        after_worker_shutdown { |worker| warn "worker #{worker.index} #{worker.process_status.success?} #{worker.pid}" }
        after_stopped { warn "stopped in #{Process.pid}" }
        on_thread_start { Thread.current[:hook] = "thread" }
        before_thread_exit { warn "thread exits" }
        lowlevel_error_handler do |error, env|
          raise "handler fails" if env["PATH_INFO"] == "/twice"
          [503, { "x-error" => error.message }, ["#{env["PATH_INFO"]} failed"]]
        end
      RUBY
      FAILING = "run(->(env) { env['PATH_INFO'] == '/' ? [200, {}, [Thread.current[:hook]]] : raise('as asked') })\n"

      def test_hooks
        server = start(file: "port ENV['PORT']\n#{HOOKS}", application: FAILING)
        assert_equal "thread", get(TCPSocket.new("127.0.0.1", server.port))
        assert_equal "/x failed", get(TCPSocket.new("127.0.0.1", server.port), "/x")
        assert_match(/The server failed/i, get(TCPSocket.new("127.0.0.1", server.port), "/twice"))
        wait_for(server, /serving/)
        state = File.join(folder, "state.yml")
        pid = YAML.safe_load_file(state).fetch("pid")
        assert_equal 0o600, File.stat(state).mode & 0o777
        assert_match(/\Aspate-serve: .*\[shop\]/, File.read("/proc/#{pid}/cmdline")) if File.exist?("/proc/#{pid}")
        assert_equal 0, server.stop(:TERM)
        log = File.read(server.log)
        assert_equal %w[forks forked].product(%w[0 1]).map { |word, index| "#{word} #{index} in #{pid}" }.sort,
                     log.scan(/^fork(?:s|ed) .*/).sort
        assert_equal [%w[0 true], %w[1 true]], log.scan(/^worker (\d) (true) \d+$/).sort
        assert_match(/^stopped in #{pid}$/, log)
        assert_match(/^thread exits$/, log)
        refute_path_exists state
      end

      def test_errors_of_hooks_are_logged
        hooks = %w[before_fork on_worker_boot on_booted on_worker_shutdown]
        server = start(file: "#{FILE}#{hooks.map { |name| "#{name} { raise LoadError, '#{name} fails' }\n" }.join}")
        assert_equal "fork 2 true production 127.0.0.1", get(TCPSocket.new("127.0.0.1", server.port))
        wait_for(server, /on_booted fails/)
        assert_equal 0, server.stop(:TERM)
        log = File.read(server.log)
        assert_equal [1, 2, 1, 2], (hooks.map { |name| log.scan(/: #{name} fails \(LoadError\)/).size })
      end

      def test_command_line_overrides_the_file
        server = start("--workers", "1", "--host", "127.0.0.1")
        assert_match(%r{config.ru on http://127.0.0.1:}, wait_for(server, /serving .*/))
      ensure
        server&.stop
      end

      def wait_for(server, pattern)
        Timeout.timeout(30) { Thread.pass until File.read(server.log).match?(pattern) }
        File.read(server.log)
      end
    end
  end
end
