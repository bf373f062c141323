# frozen_string_literal: true

require "test_helper"
require "support/profiled"
require "support/scratch_gem"

module Spate
  module Server
    # Servers under load, as processes.
    class ProfileServerTest < Minitest::Test
      include Profiled

      def profile(name = "out.dump") = File.join(folder, name)

      def check_hot(path, least: 0.5)
        recording = Profile::Format.read(path)
        own = Profile::Summary.new(recording).top(2).map(&:name)

        assert_equal ["Array#pack", "String#unpack"], own.sort
        burn = recording.frames.index { |frame| frame.name.end_with?("Hot.burn") }
        share = recording.costs.last[burn] / recording.total.to_f

        assert_operator share, :>, least
        recording
      end

      def test_the_hot_method_is_found_and_all_cpu_time_told
        serve_hot(profile: profile, engine: "own")
        load(0.4)
        before = cpu
        stop
        recording = check_hot(profile)

        assert_equal 0o600, File.stat(profile).mode & 0o777
        assert_equal "own", recording.facts["engine"]
        # The samples stand for the CPU time from the start on; a tick's worth at the end is in none.
        assert_in_delta recording.facts["cpu"], recording.total / 1e6, 0.05
        assert_operator recording.facts["cpu"], :<=, before + 0.2
      end

      def test_a_gem_takes_the_samples_where_it_is_installed
        home = ScratchGem.home("stackprof") or skip "the gem stackprof cannot be had here"
        serve_hot({ "GEM_HOME" => home }, profile: profile)
        load(0.4)
        stop
        recording = check_hot(profile)

        assert_equal "stackprof", recording.facts["engine"]
      end

      # vernier tells wall time of all threads: what waits is in it.
      def test_vernier_where_it_can_be_had
        skip "vernier needs Ruby 3.2" if RUBY_VERSION < "3.2"
        home = ScratchGem.home("vernier") or skip "the gem vernier cannot be had here"
        serve_hot({ "GEM_HOME" => home }, profile: profile("out.json"))
        load(0.4)
        stop
        recording = Profile::Format.read(profile("out.json"))

        assert_equal %w[vernier wall], recording.facts.values_at("engine", "mode")
        assert(recording.frames.any? { |frame| frame.name.end_with?("Hot.burn") })
        assert_operator recording.total, :>, 300_000
      end

      def test_stackprof_reads_our_dump
        home = ScratchGem.home("stackprof") or skip "the gem stackprof cannot be had here"
        serve_hot(profile: profile, engine: "own")
        load(0.3)
        stop
        text = client_at(RbConfig.ruby, File.join(home, "bin", "stackprof"), "--text", profile,
                         env: { "GEM_HOME" => home })
        first = text.lines.find { |line| line.match?(/\A\s+\d+ +\(/) }

        assert_match(/Array#pack|String#unpack/, first)
        raw = client_at(RbConfig.ruby, File.join(home, "bin", "stackprof"), "--stackcollapse", profile,
                        env: { "GEM_HOME" => home })

        assert_match(/Hot\.burn;.*String#unpack \d+$/, raw)
      end

      def test_a_signal_starts_and_the_next_one_writes
        serve_hot(on_signal: profile, engine: "own")
        2.times do |index|
          Process.kill(:URG, @server)
          Timeout.timeout(SECONDS) { assert_match(/profile started/, @log.gets) }
          load(0.3)
          Process.kill(:URG, @server)
          line = Timeout.timeout(SECONDS) { @log.gets }

          assert_equal "profile written: #{profile("out-#{@server}-#{index + 1}.dump")}", line.chomp
          check_hot(line[/\S+$/])
        end
      end

      def test_a_forgotten_one_ends_by_itself
        serve_hot(on_signal: profile("out.json"), engine: "own", seconds: 1)
        Process.kill(:URG, @server)
        load(0.3)
        path = profile("out-#{@server}-1.json")
        eventually { File.size?(path) && File.read(path).end_with?("}") }
        check_hot(path)
      end

      def test_the_commands_option
        write("www/index.html", "hello")
        serve(File.join(folder, "www"), "--profile", profile("page.html"), "--profiler", "own")
        100.times { raw("GET / HTTP/1.0\r\n\r\n") } # so that some are met

        code, told = stop
        assert_equal 0, code
        assert_includes told, "profile written: #{profile("page.html")}\n"
        assert_match(/\A<!doctype html>.*Spate::Server::Reactor#run/m,
                     File.read(profile("page.html"), encoding: "UTF-8"))
      end

      def test_each_worker_writes_its_own
        write("www/index.html", "hello")
        serve(File.join(folder, "www"), "--workers", "2", "--profile", profile, "--profiler", "own")
        20.times { raw("GET / HTTP/1.0\r\n\r\n") }
        stop
        written = Dir[profile("out-*.dump")]

        assert_equal 2, written.size
        written.each { |path| assert_kind_of Integer, Profile::Format.read(path).count }
      end

      def test_what_is_no_profile_is_refused_at_once
        output, status = Open3.capture2e(*COMMAND, folder, "--profile", profile("out.txt"))

        refute_predicate status, :success?
        assert_match(/".txt" names no format/, output)
      end

      def test_a_profile_that_cannot_be_written_is_refused_at_once
        %w[--profile --profile-on-signal].each do |option|
          output, status = Open3.capture2e(*COMMAND, folder, option, profile("none/out.html"))
          assert_equal ["error: #{profile("none/out.html")} cannot be written: #{profile("none")}: no folder\n" \
                        "hint: choose another FILE\n", 9], [output, status.exitstatus]
        end
      end

      def test_what_cannot_be_converted
        output, status = Open3.capture2e(*COMMAND, "--profile-convert", "#{profile("none.dump")},#{profile("a.html")}")
        assert_match(/\Aerror: .*none.dump cannot be read: No such file or directory\nhint: /, output)
        assert_equal 9, status.exitstatus
      end

      def client_at(path, *arguments, env: {})
        output, status = Open3.capture2e(env, "timeout", SECONDS.to_s, path, *arguments)
        assert_predicate status, :success?, output
        output
      end
    end
  end
end
