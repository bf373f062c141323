# frozen_string_literal: true

require "test_helper"
require "support/python"
require "support/watched"

module Spate
  module Server
    # Worker processes share a port. They are replaced after crashes, and by hot restarts without lost requests.
    class WorkersTest < Minitest::Test
      include Watched

      def setup
        write("public/hello.txt", "hello\n")
        @root = File.join(folder, "public")
      end

      # Sends requests, each over a new connection, while the block runs. Returns the failures.
      def meanwhile
        done = false
        count = 0
        faults = []
        thread = Thread.new do
          until done && (count > 5 || faults.any?)
            begin
              get("/hello.txt").body == "hello\n" or faults << "another body"
              count += 1
            rescue SystemCallError, EOFError, Timeout::Error => e
              faults << e
            end
          end
        end
        yield
        done = true
        thread.join
        faults
      ensure
        done = true
      end

      def h2load(*options)
        client("h2load", *options, address("/hello.txt"))
      end

      def test_workers_share_requests
        log = File.join(folder, "access.log")
        watch(@root, "--workers", "2", "--access-log", log)
        assert_match(/2000 succeeded, 0 failed/, h2load("-n", "2000", "-c", "40", "-m", "5"))
        held = Array.new(60) { TCPSocket.new("127.0.0.1", @port).tap { sleep 0.005 } }
        shares = eventually("60 connections") do
          each = metrics.select { |name, _| name.start_with?("spate_connections{") }.values
          each if each.sum == 60
        end
        assert_operator shares.min, :>=, 20
        lines = eventually("a line for each") { (all = File.readlines(log)).size == 2000 && all }
        assert_equal 2, lines.map { |line| JSON.parse(line)["worker"] }.uniq.size
      ensure
        held&.each(&:close)
      end

      # Clients of a killed worker lose their connection, others do not; the worker is replaced.
      def test_a_worker_that_is_killed
        watch(@root, "--workers", "2")
        victim = workers.first
        faults = meanwhile do
          h2load("-n", "200", "-c", "4")
          Process.kill(:KILL, victim)
          # The order matters: a dead worker counts as ready until its parent notices.
          eventually("a death that was seen") { metric("spate_worker_restarts_total") == 1 }
          eventually("another worker") { metric("spate_workers_ready") == 2 }
          h2load("-n", "200", "-c", "4")
        end
        assert_operator faults.size, :<=, 1
        assert_equal 2, (workers - [victim]).size
        assert_operator metric("spate_requests_total"), :>=, 400
        assert_match(/process #{victim}\) ended with signal 9 .*another one starts now/, stop.last)
      end

      def test_a_worker_told_to_stop_is_replaced
        watch(@root, "--workers", "2")
        victim = workers.last
        Process.kill(:TERM, victim)
        eventually("another worker") { workers.size == 2 && !workers.include?(victim) }
        assert_equal "hello\n", get("/hello.txt").body
      end

      # A stopped process is like one whose serving thread hangs.
      def test_a_worker_that_hangs_is_replaced
        watch(@root, "--workers", "2", "--worker-timeout", "5")
        victim = workers.first
        Process.kill(:STOP, victim)
        eventually("another worker", seconds: 60) { workers.size == 2 && !workers.include?(victim) }
        eventually("two workers") { metric("spate_workers_ready") == 2 }
        assert_equal "hello\n", get("/hello.txt").body
        assert_match(/worker \d \(process #{victim}\) has not responded for \d+ s, so it is killed/, stop.last)
      end

      def test_an_idle_worker_reports
        counters = Monitoring::Metrics.counters(1)
        metrics = Monitoring::Metrics.new(counters, 1)
        listener = TCPServer.new("127.0.0.1", 0)
        reactor = Reactor.new(listener, ->(_) {}, observer: Monitoring::Observer.new(watched: metrics))
        thread = Thread.new { reactor.run }
        first = eventually("a report") { metrics.alive_at(1).then { |time| time if time.positive? } }

        assert eventually("another report") { metrics.alive_at(1) > first }
      ensure
        reactor.halt
        thread.join
        listener.close
      end

      def test_a_worker_that_does_not_become_ready
        write("config.ru", "run ->(_) { [200, {}, []] }")
        write("puma.rb", "workers 2\nworker_boot_timeout 0.5\nbefore_worker_boot { sleep }\n")
        command = [*COMMAND, "--rack", "config.ru", "--config", "puma.rb", "--port", "0"]
        output, status = Open3.capture2e(*command, chdir: folder)

        refute_predicate status, :success?
        assert_match(/worker \d \(process \d+\) was not ready for \d+ s, so it is killed/, output)
        assert_includes output, "a worker ended with signal 9 before it was ready"
      end

      # Workers exit when their parent is killed.
      def test_a_parent_that_is_killed
        watch(@root, "--workers", "2")
        orphans = workers
        Process.kill(:KILL, @server)
        Process.wait(@server)
        @server = nil
        orphans.each { |pid| eventually("the worker's end") { gone?(pid) } }
        assert_raises(Errno::ECONNREFUSED) { get("/hello.txt") }
      end

      # An error must not end the thread that reloads the worker, because the same thread stops it.
      def test_reload_logs_any_error
        lines = []
        tls = Class.new { def reload = raise("libssl: as asked") }.new
        reactor = Class.new { def post(_) = nil }.new
        worker = Workers::Worker.new(nil, nil, metrics: nil, tls: tls, log: ->(line) { lines << line }) { reactor }
        worker.reload
        assert_equal ["reload: RuntimeError: libssl: as asked; the previous files stay in use"], lines
      end

      def test_the_pid_file_is_restored_unless_a_newer_server_wrote_it_or_this_one_stopped
        file = Workers::PidFile.new(path = File.join(folder, "pid"))
        File.write(path, "#{Process.ppid}\n")
        file.restore
        assert_equal "#{Process.ppid}\n", File.read(path)
        File.unlink(path)
        file.restore
        assert_equal "#{Process.pid}\n", File.read(path)
        file.remove
        file.restore
        refute_path_exists path
      end

      # Other users may create links in the same folder.
      def test_the_pid_file_follows_no_link
        write("theirs", "kept")
        path = File.join(folder, "pid")
        File.symlink(File.join(folder, "theirs"), "#{path}.#{Process.pid}")
        Workers::PidFile.new(path).write
        assert_equal ["kept", "#{Process.pid}\n"], [File.read(File.join(folder, "theirs")), File.read(path)]
      end

      %w[1 2].each do |count|
        define_method("test_hot_restart_with_#{count}_workers") do
          watch(@root, "--workers", count, "--drain", "5")
          faults = meanwhile do
            load = Thread.new { h2load("-p", "http/1.1", "-n", "3000", "-c", "8") }
            sleep 0.1
            Process.kill(:USR2, @server)
            told(/restart: process \d+ took over/)
            assert_match(/3000 succeeded, 0 failed, 0 errored/, load.value)
          end
          assert_empty faults
          Process.wait(@server)
          new_server = File.read(@pid_file).to_i
          refute_equal @server, new_server
          assert_equal "ok", JSON.parse(get("/-/health", port: @admin).body)["state"]
          @server = nil
          assert_equal "hello\n", get("/hello.txt").body
          Process.kill(:TERM, new_server)
          eventually("the new server's end") { gone?(new_server) }
          refute_path_exists @pid_file
        end
      end

      # HTTP/2 requests in flight during a hot restart are answered.
      def test_hot_restart_with_http2_load
        reason = Python.missing("h2")
        skip reason if reason
        watch(@root, "--workers", "2")
        peer = IO.popen([Python::PATH, File.join(__dir__, "support/python/h2_steady.py"), @port, "/hello.txt", "2.5"])
        sleep 0.5
        Process.kill(:USR2, @server)
        told(/restart: process \d+ took over/)
        answer = JSON.parse(peer.read)
        assert_equal [0, 0], answer.values_at("lost", "refused"), answer
        assert_operator answer["answered"], :>, 100
        assert_operator answer["connections"], :>, 4
        Process.wait(@server)
        @server = nil
      ensure
        peer&.close
      end

      def test_hot_restart_keeps_serving_when_the_new_server_fails
        File.symlink(@root, File.join(folder, "current"))
        watch(File.join(folder, "current"), "--workers", "2")
        File.unlink(File.join(folder, "current"))
        Process.kill(:USR2, @server)
        assert_match(/is not a directory/, told(/^error: /))
        assert_match(/exit code 9; this one continues/, told(/restart: the new server did not start/))
        assert_equal "hello\n", get("/hello.txt").body
        assert_equal "ok", JSON.parse(get("/-/health", port: @admin).body)["state"]
      end

      # Open requests are finished, and new connections are refused.
      def test_draining
        File.open(File.join(@root, "big"), "wb") { |file| file.truncate(40 << 20) }
        watch(@root, "--workers", "2")
        slow = TCPSocket.new("127.0.0.1", @port)
        slow.write("GET /big HTTP/1.1\r\nhost: x\r\n\r\n")
        got = slow.readpartial(65_536).bytesize
        Process.kill(:TERM, @server)
        eventually("draining") { get("/-/health", port: @admin).code == "503" }
        assert_equal "draining", JSON.parse(get("/-/live", port: @admin).body)["state"]
        eventually("the listening socket to close") { refused? }
        got += slow.read.bytesize
        assert_operator got, :>, 40 << 20
        Timeout.timeout(SECONDS) { Process.wait(@server) }
        assert_equal 0, $?.exitstatus
        @server = nil
      ensure
        slow&.close
      end

      def refused?
        TCPSocket.new("127.0.0.1", @port).close
        false
      rescue Errno::ECONNREFUSED
        true
      end

      %w[1 2].each do |count|
        define_method("test_a_second_signal_with_#{count}") do
          File.open(File.join(@root, "big"), "wb") { |file| file.truncate(40 << 20) }
          watch(@root, "--workers", count, "--drain", "60")
          slow = TCPSocket.new("127.0.0.1", @port)
          slow.write("GET /big HTTP/1.1\r\nhost: x\r\n\r\n")
          slow.readpartial(1)
          Process.kill(:TERM, @server)
          eventually("draining") { get("/-/health", port: @admin).code == "503" }
          assert_equal 0, stop(:INT).first
        ensure
          slow&.close
        end
      end

      def test_a_worker_that_cannot_start
        config = write("config.ru", "raise 'no such thing'\n")
        output, status = Open3.capture2e(*COMMAND, "--rack", config, "--workers", "2", "--port", "0")
        assert_match(/^error: .*(no such thing|needs the gem rack)/, output)
        assert_match(/^error: a worker ended with exit code \d+ before it was ready$/, output)
        assert_equal 9, status.exitstatus
      end

      def test_backoff
        backoff = Workers::Backoff.new
        assert_equal [0, 0.1, 0.2, 0.4], Array.new(4) { backoff.after(1) }
        assert_equal [0, 0, 0.1], [backoff.after(60), backoff.after(1), backoff.after(1)]
        assert_equal 10, Array.new(20) { backoff.after(0) }.last
      end
    end
  end
end
