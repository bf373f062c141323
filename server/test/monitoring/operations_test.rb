# frozen_string_literal: true

require "test_helper"
require "support/watched"

module Spate
  module Server
    # spate-serve as a command: options and their errors, ports, access logs, health and metrics, and a renewed
    # certificate.
    class OperationsTest < Minitest::Test
      include Watched

      def setup
        write("public/hello.txt", "hello\n")
        @root = File.join(folder, "public")
      end

      def command(*arguments, **env)
        output, status = Open3.capture2e(env.transform_keys(&:to_s), *COMMAND, *arguments)
        [output, status.exitstatus]
      end

      def test_help
        output, code = command("--help")
        assert_equal 0, code
        words = %w[--host --port --tls --rack --workers --drain --access-log --admin --profile --limit-idle SIGHUP]
        assert_empty(words.reject { |word| output.include?(word) })
        assert_match(/^ +--drain SECONDS +for open requests when the server stops \(10\)$/, output)
        assert_equal 2, command("--limit-drain", "1", @root).last
        assert_operator output.lines.map { |line| line.chomp.length }.max, :<=, 110
        assert_match(/^spate-serve \d/, command("--version").first)
      end

      def test_invalid_command_lines
        { [] => /nothing to serve/, %w[a b] => /expected one folder, got a, b/, %w[. --port x] => /--port x/,
          %w[. --port 70000] => /--port 70000: expected 0 to 65535/,
          %w[. --admin here] => /--admin here: expected PORT or HOST/,
          %w[. --workers -1] => /--workers -1: expected 0 to 1024/, %w[. --log-format xml] => /--log-format xml/,
          %w[public --rack config.ru] => /got public and config.ru/ }.each do |words, told|
          output, code = command(*words)
          assert_match(/\Aerror: .*#{told}.*\nhint: /, output)
          assert_equal 2, code, output
        end
        assert_equal ["error: nowhere is not a directory\nhint: name an existing directory\n", 9], command("nowhere")
        output, code = command(@root, "--access-log", "#{folder}/none/log")
        assert_match(%r{none/log cannot be written to: No such file or directory\nhint: .* --access-log}, output)
        assert_equal 9, code
        %w[1 2].each do |workers|
          output, code = command(@root, "--port", "0", "--pid-file", "#{folder}/none/pid", "--workers", workers)
          assert_match(%r{\Aerror: .*none/pid cannot be written: No such file or directory\nhint: .* --pid}, output)
          assert_equal 9, code
        end
      end

      def test_applications_that_cannot_be_started
        config = write("app/config.ru", "run ->(_) { [200, {}, []] }\n")
        output, code = command("--rack", config, "--port", "0", RAILS_MAX_THREADS: "many")
        assert_match(/\Aerror: RAILS_MAX_THREADS is "many"; expected a number .*\nhint: unset it, or use --threads N$/,
                     output)
        assert_equal 9, code
        write("app/Gemfile", "gem 'nowhere-to-be-found'\n")
        output, code = command("--rack", config, "--port", "0", BUNDLE_GEMFILE: nil)
        assert_match(/\Aerror: .*Gemfile: Could not find gem 'nowhere-to-be-found'.*\nhint: `spate install`/m, output)
        assert_equal 9, code
      end

      # A minimal replacement for the gem rack, which evaluates a config.ru.
      BUILDER = <<~'RUBY'
        module Rack
          class Builder
            def self.parse_file(path) = new.instance_eval("proc { #{File.read(path)}\n}.call", path, 1)
            def run(app) = app
          end
        end
      RUBY

      def test_applications_that_raise
        write("lib/rack.rb", "")
        write("lib/rack/builder.rb", BUILDER)
        write("app/models.rb", "\nraise ArgumentError, \"no such table\\nand more\"\n")
        {
          "\nrequire_relative 'models'\n" => /models\.rb:2: no such table \(ArgumentError\)/,
          "run(undefined_here)\n" => /config\.ru:1: undefined local variable or method .undefined_here. \(NameError\)/,
          "\nrequire 'not/there'\n" => %r{config\.ru:2: cannot load such file -- not/there \(LoadError\)},
          "\n\nrun(\n" => /config\.ru:\d+: .*\(SyntaxError\)/
        }.each do |text, told|
          config = write("app/config.ru", text)
          output, code = command("--rack", config, "--port", "0", RUBYLIB: "#{folder}/lib", BUNDLE_GEMFILE: nil)

          assert_match(%r{\Aerror: #{Regexp.escape(folder)}/app/#{told}\nhint: .*\n\z}, output)
          assert_equal 9, code
        end
      end

      # The process that uses the port may have a malicious name.
      def test_port_used_by_a_process_with_a_malicious_name
        listener = TCPServer.new("127.0.0.1", 0)
        pid = Process.fork do
          Process.setproctitle("evil \e[31m\nx\xff")
          sleep
        end
        port = listener.local_address.ip_port
        listener.close
        Timeout.timeout(10) do
          sleep 0.01 until (found = Reactor::Listener::PortOwner.find(port)) && found.command[/\Aevil/]
        end
        assert_equal [pid, "evil ?[31m?x?"], Reactor::Listener::PortOwner.find(port).to_a
      ensure
        Process.kill(:KILL, pid)
        Process.wait(pid)
      end

      def test_a_port_that_is_taken
        serve(@root)
        output, code = command(@root, "--port", @port)
        assert_match(/\Aerror: 127.0.0.1:#{@port}: Address already in use$/, output)
        assert_match(/^hint: process #{@server} uses it \(\S*ruby\S* .*spate-serve.*\): stop it/, output)
        assert_equal 9, code
      end

      def test_unavailable_addresses
        { "192.0.2.1" => ["no interface of this machine has that address: choose another --host"] * 2,
          "nowhere.test" => ["choose another --host or --port", "choose another --host"] }.each do |host, (hint, other)|
          output, code = command(@root, "--host", host, "--port", "0")
          assert_match(/\Aerror: #{host}:0: .*\nhint: #{hint}\n\z/, output)
          assert_equal 9, code
          output, code = command(@root, "--admin", "#{host}:9", "--port", "0")
          assert_match(/\Aerror: #{host}:9: .*\nhint: #{other.sub("--host", "--admin")}\n\z/, output)
          assert_equal 9, code
        end
      end

      def test_a_port_of_the_admin_that_is_taken
        serve(@root)
        output, code = command(@root, "--port", "0", "--admin", @port)
        assert_match(/\Aerror: 127.0.0.1:#{@port}: .*\nhint: process #{@server} .*choose another --admin\n\z/, output)
        assert_equal 9, code
      end

      def raw_get(target, agent)
        raw("GET #{target} HTTP/1.1\r\nhost: localhost\r\nuser-agent: #{agent}\r\nconnection: close\r\n\r\n")
      end

      def test_access_log_in_json
        log = File.join(folder, "log")
        serve(@root, "--access-log", log)
        curl = %w[curl -sS --http2-prior-knowledge -A me -e http://from.test/]
        client(*curl, address("/hello.txt?a=1"))
        raw_get("/none%22", "a\"b\\c\xff")
        stop
        lines = File.readlines(log, encoding: "UTF-8").map { |line| JSON.parse(line) }
        assert_equal ["GET", "/hello.txt?a=1", "HTTP/2", 200, 6, "me", "http://from.test/", "127.0.0.1"],
                     lines[0].values_at("method", "target", "protocol", "status", "bytes", "agent", "referer", "peer")
        assert_equal ["/none%22", 404, "a\"b\\c\u{fffd}", nil],
                     lines[1].values_at("target", "status", "agent", "referer")
        assert_in_delta Time.now, Time.new(*lines[0]["time"].scan(/\d+/).first(6), "UTC"), 20
        assert_operator lines[0]["seconds"], :<, 5
      end

      def test_access_log_on_the_standard_output
        pattern = %r{\A127\.0\.0\.1 - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "GET /hello.txt HTTP/1\.1" 200 6}
        { "common" => /#{pattern}\n\z/, "combined" => /#{pattern} "-" "a\\x22b"\n\z/ }.each do |format, line|
          reader, writer = IO.pipe
          serve(@root, "--access-log", "-", "--log-format", format, out: writer)
          writer.close
          raw_get("/hello.txt", "a\"b")
          stop
          assert_match(line, reader.read)
        end
      end

      def test_a_log_that_was_moved_away
        log = File.join(folder, "log")
        watch(@root, "--access-log", log, "--workers", "2")
        get("/hello.txt")
        eventually("a line") { File.size?(log) }
        File.rename(log, "#{log}.1")
        Process.kill(:HUP, @server)
        eventually("a new file") { File.exist?(log) }
        count = 1
        eventually("a line in it") { (count += 1) && get("/hello.txt") && File.size?(log) }
        stop # another worker may not have reopened the file yet
        assert_equal count, File.readlines("#{log}.1").size + File.readlines(log).size
      end

      def test_a_log_that_cannot_be_written
        serve(@root, "--access-log", "/dev/full")
        3.times { raw_get("/hello.txt", "me") }
        assert_match(/full: No space left on device.*requests are not logged/, stop.last)
      end

      def test_stalled_reader_of_the_log
        unread, log = IO.pipe
        watch(@root, "--access-log", "-", out: log)
        log.close
        requests = "GET /hello.txt HTTP/1.1\r\nhost: localhost\r\nuser-agent: #{"a" * 4000}\r\n\r\n" * 100
        last = "GET /hello.txt HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        8.times { assert_equal 101, raw(requests + last).scan("hello\n").size }
        eventually("requests that were not logged") { metric("spate_unlogged_total").positive? }
      ensure
        unread&.close
      end

      def test_health_and_metrics
        watch(@root, "--health")
        get("/hello.txt")
        client("curl", "-sS", "--http2-prior-knowledge", address("/none"))
        raw("GET / HTTP/1.1\r\n\r\n")
        eventually("the counts") { metric("spate_requests_total") >= 2 }
        found = metrics
        assert_equal 1, found['spate_requests_total{protocol="HTTP/1.1",status="2xx"}']
        assert_equal 1, found['spate_requests_total{protocol="HTTP/2",status="4xx"}']
        duration = "spate_request_duration_seconds"
        assert_equal found["#{duration}_bucket{le=\"+Inf\"}"], found["#{duration}_count"]
        assert_operator found["spate_response_bytes_total"], :>=, 6
        eventually("memory") { metric("spate_memory_bytes") > 1 << 20 }
        assert_equal %w[200 200 404], %w[/-/health /-/live /].map { |path| get(path, port: @admin).code }
        assert_equal %w[200 404], %w[/-/health /-/metrics].map { |path| get(path).code }
        assert_equal({ "state" => "ok", "workers" => 1, "ready" => 1 }, JSON.parse(get("/-/health").body))
      end

      # Metrics have Prometheus' text format: TYPE precedes each sample, and buckets are cumulative.
      def test_the_format_of_metrics
        watch(@root)
        answer = get("/-/metrics", port: @admin)
        assert_equal "text/plain; version=0.0.4; charset=utf-8", answer["content-type"]
        types = {}
        answer.body.each_line(chomp: true) do |line|
          next types[$1] = $2 if line =~ /\A# TYPE (\w+) (counter|gauge|histogram)\z/
          next if line.start_with?("# HELP ")

          assert_match(/\A(\w+)(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+\z/, line)
          name = line[/\A\w+/]
          assert types[name] || types[name.sub(/_(bucket|sum|count)\z/, "")], line
        end
        page = File.read(File.expand_path("../../docs/operations.md", __dir__), encoding: "UTF-8")
        assert_empty(types.keys.reject { |name| page.include?("`#{name}") })
        buckets = answer.body.scan(/_bucket\{.*\} (\d+)/).flatten.map(&:to_i)
        assert_equal [14, buckets.sort], [buckets.size, buckets]
      end

      # At most one line per second is logged about refused connections, with their number.
      def test_refused_connections_are_counted
        watch(@root, "--limit-connections", "2")
        held = Array.new(2) { TCPSocket.new("127.0.0.1", @port) }
        eventually("both") { metric("spate_connections") == 2 }
        30.times { TCPSocket.open("127.0.0.1", @port) { |socket| assert_nil socket.read(1) } }
        assert_equal 30, metrics['spate_refused_total{reason="connections"}']
        sleep 1.1
        held.each(&:close)
        lines = stop.last.lines.grep(/refused/)
        assert_includes 1..3, lines.size
        counts = lines.map { |line| line[/refused (\d+) more/, 1]&.to_i || (1 + line[/and (\d+) before/, 1].to_i) }
        assert_equal 30, counts.sum, lines.join
      end

      def certificate(name, serial)
        folder = File.dirname(write("#{name}/.keep", ""))
        words = %w[openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost]
        files = ["-keyout", "#{folder}/key.pem", "-out", "#{folder}/cert.pem"]
        system(*words, *files, "-set_serial", serial.to_s, %i[out err] => File::NULL) or flunk("openssl failed")
        folder
      end

      def serial
        output, = Open3.capture2e("openssl", "s_client", "-connect", "127.0.0.1:#{@port}", stdin_data: "")
        Open3.capture2e("openssl", "x509", "-noout", "-serial", stdin_data: output).first[/serial=(\h+)/, 1].to_i(16)
      end

      def test_a_new_certificate
        pair = certificate("tls", 17)
        watch(@root, "--tls", "--cert", "#{pair}/cert.pem", "--key", "#{pair}/key.pem", "--workers", "2")
        assert_equal 17, serial
        FileUtils.cp(Dir["#{certificate("next", 18)}/*.pem"], pair)
        Process.kill(:HUP, @server)
        eventually("the new one") { serial == 18 }
        File.write("#{pair}/cert.pem", "nonsense")
        Process.kill(:HUP, @server)
        told(/reload: .*cert.pem.*the previous files stay in use/)
        assert_equal 18, serial
      end
    end
  end
end
