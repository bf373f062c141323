# frozen_string_literal: true

require "test_helper"
require "spate/tracer"

module Spate
  module JS
    # PublicRegistry::Asked runs the npm on PATH for its default registry. The store keeps the answer until npm or
    # another input changes.
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

      # Waits for the next tick of the clock that sets file times. A file written in the current tick may change again
      # without a new mtime.
      def later
        started = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
        Thread.pass until Process.clock_gettime(Native::FILE_CLOCK, :nanosecond) > started
      end

      # Clears the cache of this process and asks. Returns [the registry, how often npm was started].
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

      def test_threads_start_npm_once
        answers = Array.new(32) { Thread.new { Configuration::PublicRegistry::Asked.find(@env, store) } }.map(&:value)

        assert_equal ["http://one.test/"], answers.uniq
        assert_equal ["config get registry\n"], File.readlines("#{folder}/calls")
      end

      def test_processes_and_projects_share_the_answer
        kept!

        assert_equal ["http://one.test/", 0], ask(@env.merge("TERM" => "x", "npm_config_registry" => "http://set.test/",
                                                             "PWD" => "/", "BUNDLE_GEMFILE" => "/Gemfile"))
        assert_equal ["http://one.test/", 1], ask(store: nil)
        assert_equal ["http://one.test/", 1], ask(store: store("other"))
      end

      def test_changed_file_that_npm_read
        kept!
        write("rc", "http://two.test/\n")

        assert_equal ["http://two.test/", 1], ask
        assert_equal ["http://two.test/", 0], ask
      end

      def test_created_file_that_npm_looked_for
        npm("[ -e #{folder}/more ] && cat #{folder}/more || cat #{folder}/rc")
        kept!
        write("more", "http://two.test/\n")

        assert_equal ["http://two.test/", 1], ask
      end

      def test_changed_program
        kept!
        npm("echo http://two.test/")

        assert_equal ["http://two.test/", 1], ask
      end

      def test_added_npm_earlier_in_the_path
        kept!
        npm("echo http://two.test/", @first)

        assert_equal ["http://two.test/", 1], ask
      end

      def test_changed_variable
        npm("[ -z \"$WRAPPED\" ] && echo http://two.test/ || cat #{folder}/rc")
        kept!

        assert_equal ["http://two.test/", 1], ask(@env.merge("WRAPPED" => ""))
      end

      def test_damaged_record_is_ignored
        kept!
        Dir["#{folder}/home/store/v1/checks/*"].each { |path| File.truncate(path, File.size(path) - 9) }

        assert_equal ["http://one.test/", 1], ask
      end

      # The tool runs with an empty home folder, which is removed afterwards.
      def test_temporary_home_is_removed
        npm("mkdir -p $HOME/.npm/_logs && touch $TMPDIR.x $HOME/.npm/_logs/1\n" \
            "echo $HOME > #{folder}/asked\ncat #{folder}/rc")
        ask
        home = File.read("#{folder}/asked").strip

        refute_equal folder, home
        refute_path_exists home
      end

      # With the real npm, which fails if one file is both the user's and the global configuration.
      def test_real_npm
        found = Configuration::NpmFolder.which("npm", ENV.to_h) or skip "npm is not on the PATH"
        answer, = ask(ENV.to_h.merge("PATH" => "#{File.dirname(found)}:#{ENV.fetch("PATH")}"))

        assert_match(%r{\Ahttps://}, answer)
      end
    end
  end
end
