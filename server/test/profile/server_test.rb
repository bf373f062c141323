# frozen_string_literal: true

require "test_helper"
require "support/profiled"

module Spate
  module Server
    # Server processes under load write profiles that name the hot method. Signals, options or Profile.start begin them.
    class ProfileServerTest < Minitest::Test
      include Profiled

      WAITING = Profile::Vernier::WAITING.values

      def profile(name = "out.json") = File.join(folder, name)

      def check_hot(path)
        recording = Profile::Recording.read(path)
        own = recording.top.map(&:name) - WAITING

        assert_equal ["Array#pack", "String#unpack"], own.first(2).sort
        assert(recording.to_h[:frames].any? { |name,| name.end_with?("Hot.burn") })
        recording
      end

      def test_the_preferred_profiler_finds_the_hot_method
        serve_hot(gem_home, profile: profile)
        load(0.4)
        stop
        recording = check_hot(profile)

        assert_equal profiler, recording.facts["profiler"]
        assert_equal 0o600, File.stat(profile).mode & 0o777
        assert_operator recording.facts["cpu"], :>=, 0.3
        assert_operator recording.total, :>, 300_000
      end

      def test_stackprof_on_request
        serve_hot(gem_home("stackprof"), profile: profile, profiler: "stackprof")
        load(0.4)
        stop

        assert_equal %w[stackprof cpu], check_hot(profile).facts.values_at("profiler", "mode")
        program = [RbConfig.ruby, File.join(ScratchGem.home("stackprof"), "bin", "stackprof")]
        text = client_at(*program, "--text", profile, env: gem_home("stackprof"))

        assert_match(/Array#pack|String#unpack/, text.lines.find { |line| line.match?(/\A\s+\d+ +\(/) })
        assert_match(/Hot\.burn;.*String#unpack \d+$/,
                     client_at(*program, "--stackcollapse", profile, env: gem_home("stackprof")))
      end

      def test_first_signal_starts_and_second_writes
        serve_hot(gem_home, on_signal: profile)
        2.times do |index|
          Process.kill(:URG, @server)
          Timeout.timeout(SECONDS) { assert_match(/profile started/, @log.gets) }
          load(0.3)
          Process.kill(:URG, @server)
          line = Timeout.timeout(SECONDS) { @log.gets }

          assert_equal "profile written: #{profile("out-#{@server}-#{index + 1}.json")}", line.chomp
          check_hot(line[/\S+$/])
        end
      end

      def test_profile_ends_after_its_time_without_a_second_signal
        serve_hot(gem_home, on_signal: profile, seconds: 1)
        Process.kill(:URG, @server)
        load(0.3)
        path = profile("out-#{@server}-1.json")
        eventually { File.size?(path) && File.read(path).end_with?("}") }
        check_hot(path)
      end

      def test_the_commands_option
        write("www/index.html", "hello")
        serve(File.join(folder, "www"), "--profile", profile("page.html"), env: gem_home)
        100.times { raw("GET / HTTP/1.0\r\n\r\n") } # so that the profile has samples

        code, log = stop
        assert_equal 0, code
        assert_includes log, "profile written: #{profile("page.html")}\n"
        assert_match(/\A<!doctype html>.*Spate::Server::Reactor#run/m,
                     File.read(profile("page.html"), encoding: "UTF-8"))
      end

      def test_each_worker_writes_its_own
        write("www/index.html", "hello")
        serve(File.join(folder, "www"), "--workers", "2", "--profile", profile, env: gem_home)
        20.times { raw("GET / HTTP/1.0\r\n\r\n") }
        stop
        written = Dir[profile("out-*.json")]

        assert_equal 2, written.size
        written.each { |path| assert_kind_of Integer, Profile::Recording.read(path).samples }
      end

      def test_fork_may_start_its_own_profile
        paths = [profile("child.json"), profile("parent.json")]
        program = <<~RUBY
          burn = -> { 300_000.times { |i| i.to_s.to_sym } }
          Spate::Server::Profile.start(#{paths.last.dump}, profiler: "stackprof")
          pid = fork do
            puts [Spate::Server::Profile.running?, Spate::Server::Profile.stop].inspect
            Spate::Server::Profile.start(#{paths.first.dump}, profiler: "stackprof")
            burn.call
          end
          Process.wait(pid)
          begin
            Spate::Server::Profile.start("other.json")
          rescue Spate::Server::Profile::Unable => e
            puts e.message
          end
          burn.call
        RUBY
        output = client_at(RbConfig.ruby, *PATHS, "-rspate/server", "-e", program, env: gem_home("stackprof"))

        assert_equal "[false, nil]\na profile is running\n", output
        paths.each { |path| assert_operator Profile::Recording.read(path).samples, :>, 0, path }
      end

      def test_vernier_does_not_start_in_a_fork
        skip "vernier needs a newer Ruby" unless profiler == "vernier"
        program = <<~RUBY
          Spate::Server::Profile.start(#{profile.dump}, profiler: "vernier")
          Process.wait(fork do
            Spate::Server::Profile.start("other.json", profiler: "vernier")
          rescue Spate::Server::Profile::Unable => e
            puts e.message
          end)
        RUBY

        assert_equal "vernier cannot start in a fork of a process that it profiles\n",
                     client_at(RbConfig.ruby, *PATHS, "-rspate/server", "-e", program, env: gem_home)
        assert_kind_of Integer, Profile::Recording.read(profile).samples
      end

      def test_missing_profiler_gem
        none = { "GEM_HOME" => File.join(folder, "none"), "GEM_PATH" => File.join(folder, "none") }
        %w[vernier stackprof].each do |name|
          output, status = Open3.capture2e(none, *COMMAND, folder, "--profile", profile, "--profiler", name)

          assert_equal ["error: profiling needs the gem #{name}, which cannot be loaded\n" \
                        "hint: gem install #{name}\n", 9], [output, status.exitstatus]
        end
        serve_hot(none)
        Process.kill(:URG, @server)

        assert_match(/\Aprofile: profiling needs the gem vernier or stackprof.*; hint: gem install #{profiler}$/,
                     Timeout.timeout(SECONDS) { @log.gets })
      end

      def test_an_unknown_format_is_rejected_at_once
        output, status = Open3.capture2e(*COMMAND, folder, "--profile", profile("out.txt"))

        refute_predicate status, :success?
        assert_match(/unknown format ".txt"\nhint: use a file that ends with .json or .html/, output)
      end

      def test_an_unwritable_file_is_rejected_at_once
        %w[--profile --profile-on-signal].each do |option|
          output, status = Open3.capture2e(*COMMAND, folder, option, profile("none/out.html"))
          assert_equal ["error: #{profile("none/out.html")} cannot be written: #{profile("none")}: not a directory\n" \
                        "hint: choose another FILE\n", 9], [output, status.exitstatus]
        end
      end

      def test_conversion
        missing = profile("none.json")
        output, status = Open3.capture2e(*COMMAND, "--profile-convert", "#{missing},#{profile("a.html")}")
        assert_equal ["error: #{missing} cannot be read: No such file or directory\n" \
                      "hint: check the path and its permissions\n", 9], [output, status.exitstatus]
        output, status = Open3.capture2e(*COMMAND, "--profile-convert", "#{profile("a.html")},#{profile("b.html")}")
        assert_match(/\Aerror: .*a\.html: not a \.json file\nhint: /, output)
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
