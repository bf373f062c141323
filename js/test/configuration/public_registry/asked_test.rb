# frozen_string_literal: true

require "test_helper"
require "spate/tracer"

module Spate
  module JS
    # The answer of npm on the PATH is kept while its inputs are unchanged.
    class PublicRegistryAskedTest < Minitest::Test
      def setup
        @bin, @first = %w[bin first].map { |name| File.dirname(write("#{name}/none", "")) }
        npm("cat #{folder}/rc")
        write("rc", "http://one.test/\n")
        @env = { "PATH" => "#{@first}:#{@bin}:/usr/bin:/bin", "HOME" => folder, "WRAPPED" => "1" }
      end

      def npm(body, bin = @bin)
        write(path = "#{bin.delete_prefix("#{folder}/")}/npm", "#!/bin/sh\necho \"$*\" >> #{folder}/calls\n#{body}\n")
        File.chmod(0o755, File.join(folder, path))
      end

      def store(name = "home") = Store.open(home: File.join(folder, name), env: {})

      # The clock of files' times is a tick behind: what was written just now may be written meanwhile.
      def later
        started = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
        Thread.pass until Process.clock_gettime(Native::FILE_CLOCK, :nanosecond) > started
      end

      # As another process. [answer, how often npm was started]
      def ask(env = @env, store: self.store)
        File.write(calls = "#{folder}/calls", "")
        later
        Configuration::PublicRegistry::Asked.instance_variable_get(:@answers).clear
        [Configuration::PublicRegistry::Asked.find(env, store), File.readlines(calls).size]
      end

      def kept!
        skip "nothing can be recorded here: #{Tracer.available?}" unless Tracer.available? == true
        ask
        assert_equal ["http://one.test/", 0], ask
      end

      def test_one_start_serves_all_threads
        answers = Array.new(32) { Thread.new { Configuration::PublicRegistry::Asked.find(@env, store) } }.map(&:value)

        assert_equal ["http://one.test/"], answers.uniq
        assert_equal ["config get registry\n"], File.readlines("#{folder}/calls")
      end

      def test_one_start_serves_all_processes_and_projects
        kept!

        assert_equal ["http://one.test/", 0], ask(@env.merge("TERM" => "x", "npm_config_registry" => "http://set.test/",
                                                             "PWD" => "/", "BUNDLE_GEMFILE" => "/Gemfile"))
        assert_equal ["http://one.test/", 1], ask(store: nil)
        assert_equal ["http://one.test/", 1], ask(store: store("other"))
      end

      def test_a_file_that_npm_read
        kept!
        write("rc", "http://two.test/\n")

        assert_equal ["http://two.test/", 1], ask
        assert_equal ["http://two.test/", 0], ask
      end

      def test_a_file_that_npm_looked_for
        npm("[ -e #{folder}/more ] && cat #{folder}/more || cat #{folder}/rc")
        kept!
        write("more", "http://two.test/\n")

        assert_equal ["http://two.test/", 1], ask
      end

      def test_the_program
        kept!
        npm("echo http://two.test/")

        assert_equal ["http://two.test/", 1], ask
      end

      def test_a_program_that_comes_before_it_in_the_path
        kept!
        npm("echo http://two.test/", @first)

        assert_equal ["http://two.test/", 1], ask
      end

      def test_a_variable
        npm("[ -z \"$WRAPPED\" ] && echo http://two.test/ || cat #{folder}/rc")
        kept!

        assert_equal ["http://two.test/", 1], ask(@env.merge("WRAPPED" => ""))
      end

      def test_a_damaged_record
        kept!
        Dir["#{folder}/home/store/v1/checks/*"].each { |path| File.truncate(path, File.size(path) - 9) }

        assert_equal ["http://one.test/", 1], ask
      end

      # It runs with an empty home folder, which is removed.
      def test_temporary_home_is_removed
        npm("mkdir -p $HOME/.npm/_logs && touch $TMPDIR.x $HOME/.npm/_logs/1\n" \
            "echo $HOME > #{folder}/asked\ncat #{folder}/rc")
        ask
        home = File.read("#{folder}/asked").strip

        refute_equal folder, home
        refute_path_exists home
      end

      # npm refuses one file as both the user's and the global one.
      def test_npm_itself
        found = Configuration::NpmFolder.which("npm", ENV.to_h) or skip "npm is not on the PATH"
        answer, = ask(ENV.to_h.merge("PATH" => "#{File.dirname(found)}:#{ENV.fetch("PATH")}"))

        assert_match(%r{\Ahttps://}, answer)
      end
    end
  end
end
