# frozen_string_literal: true

require "test_helper"

module Spate
  module Gemfile
    # Gemfile::Check evaluates a Gemfile in a child process and compares it with the lockfile. It stores the result,
    # which is valid until an input changes.
    class GemfileCheckTest < Minitest::Test
      SOURCE = "http://gems.test/"
      LOCK = <<~LOCK
        GEM
          remote: http://gems.test/
          specs:
            rack (2.2.8)
            thor (1.3.0)

        PLATFORMS
          ruby
          x86_64-linux

        DEPENDENCIES
          rack (~> 2.0)
          thor

        BUNDLED WITH
           2.6.9
      LOCK
      GEMFILE = <<~RUBY
        source "http://gems.test"
        gem "rack", "~> 2.0"
        gem "thor", group: :tools
      RUBY

      def setup
        @env = ENV.to_h.reject { |key, _| key.start_with?("BUNDLE") }.merge("HOME" => folder)
      end

      def store = @store ||= Store.open(home: File.join(folder, "spate"))

      def app(gemfile: GEMFILE, lockfile: LOCK, name: "app")
        write("#{name}/Gemfile", gemfile)
        lockfile ? write("#{name}/Gemfile.lock", lockfile) : FileUtils.rm_f(File.join(folder, name, "Gemfile.lock"))
        Gemfile.find(File.join(folder, name), @env)
      end

      def settings(location, **flags) = Settings.load(root: location.root, env: @env, flags: flags)

      def evaluate(location, **flags)
        Check.evaluate(location: location, settings: settings(location, **flags), store: store)
      end

      def recall(location, **flags)
        Check.recall(location: location, settings: settings(location, **flags), store: store)
      end

      def test_an_agreeing_gemfile_and_its_dependencies
        gemfile = <<~RUBY
          source "http://gems.test"
          ruby ">= 3.0"
          gem "rack", "~> 2.0", platforms: [:mri], require: ["rack", "rack/mock"]
          group(:tools, optional: true) { gem "thor", platforms: :jruby, require: false }
        RUBY
        location = app(gemfile: gemfile, lockfile: "#{LOCK}\nRUBY VERSION\n   ruby 3.1.2p20\n")
        facts = evaluate(location)
        assert_predicate facts, :agrees?, facts.differences.inspect
        assert_equal [["rack", [:default], true, nil], ["thor", [:tools], false, nil]], facts.dependencies.map(&:to_a)
        assert_equal [:tools], facts.optional_groups
        assert_nil facts.misfit
        assert_equal facts.dependencies, recall(location).dependencies
      end

      def test_differences_are_described
        location = app(gemfile: "source 'http://gems.test'\ngem 'rack', '~> 3.0'\ngem 'puma', '>= 6'\n")
        facts = evaluate(location)
        refute_predicate facts, :agrees?
        assert_includes facts.differences, "the Gemfile adds puma (>= 6)"
        assert_includes facts.differences, "the Gemfile no longer has thor"
        assert_includes facts.differences, "rack is ~> 3.0 in the Gemfile, but ~> 2.0 in the lockfile"
        refute_predicate recall(location), :agrees?
      end

      def test_another_source_a_missing_platform_and_no_lockfile
        assert_match(/source/, evaluate(app(gemfile: GEMFILE.sub("gems.test", "other.test"))).difference)
        assert_predicate evaluate(app(gemfile: GEMFILE.sub("gems.test", "gems.test/"))), :agrees?
        alien = LOCK.sub("  ruby\n  x86_64-linux\n", "  x86-mingw32\n")
        assert_match(/platform/, evaluate(app(lockfile: alien)).difference)
        assert_equal "there is no lockfile", evaluate(app(lockfile: nil)).difference
      end

      def test_a_lockfile_of_a_newer_bundler_agrees
        sums = "CHECKSUMS\n  rack (2.2.8)\n  thor (1.3.0) sha256=#{"0" * 64}\n\nBUNDLED WITH\n   4.0.1\n"
        facts = evaluate(app(lockfile: LOCK.sub(/BUNDLED WITH.*/m, sums)))
        assert_predicate facts, :agrees?, facts.difference
      end

      def test_frozen_evaluates_as_a_frozen_install
        location = app
        write("app/Gemfile", "#{GEMFILE}gem 'puma'\n")
        assert_equal ["the Gemfile adds puma"], evaluate(location, frozen: true).differences.grep(/adds/)
        assert_nil recall(location), "a bundle that is not frozen has a separate check"
        write("app/Gemfile", GEMFILE)
        assert_predicate evaluate(location, frozen: true), :agrees?
      end

      def test_another_ruby_than_the_gemfile_wants
        facts = evaluate(app(gemfile: "ruby '9.9.9'\n#{GEMFILE}"))
        assert_match(/9\.9\.9/, facts.misfit)
      end

      def test_each_input_is_watched
        write("app/.ruby-version", "#{RUBY_VERSION}\n")
        write("app/more.rb", "gem 'thor', group: :tools\n")
        write("app/engines/one/one.gemspec", "")
        write("app/list.txt", "x")
        gemfile = <<~RUBY
          source "http://gems.test"
          File.read(File.join(__dir__, ".ruby-version"))
          gem "rack", "~> 2.0" if ENV["WITH_RACK"] != "no"
          eval_gemfile "more.rb"
          Dir.glob(File.join(__dir__, "engines/*")) { |path| path }
          $x = File.exist?("flag") || Pathname("other").file? || ENV.fetch("ABSENT", nil) || ENV.key?("SOME")
          require_relative "settings"
          IO.foreach("list.txt") { |line| line }
        RUBY
        write("app/settings.rb", "$y = 1\n")
        location = app(gemfile: gemfile)
        facts = evaluate(location)
        assert_predicate facts, :agrees?, facts.failure.join
        assert_empty facts.volatile
        assert recall(location), "used while nothing changed"

        edits(location, ".ruby-version", "more.rb", "settings.rb", "list.txt")
        appears(location, "flag", "other", "engines/two")
        %w[WITH_RACK ABSENT SOME].each do |key|
          @env[key] = "1"
          assert_nil recall(location), "#{key} was read"
          @env.delete(key)
        end
        assert recall(location), "used again after the change is reverted"
        @env["UNRELATED"] = "1"
        assert recall(location), "a file that was not read does not matter"

        other = Location.new(*location.to_a.map { |path| path.sub("/app", "/copy") })
        FileUtils.cp_r(location.root, other.root)
        assert recall(other), "the same application in another folder"
      end

      def edits(location, *names)
        names.each do |name|
          before = File.binread(File.join(location.root, name))
          write("app/#{name}", "#{before}\n# edited")
          assert_nil recall(location), "#{name} was edited"
          write("app/#{name}", before)
        end
      end

      def appears(location, *names)
        names.each do |name|
          path = write("app/#{name}", "")
          assert_nil recall(location), "#{name} appeared"
          File.unlink(path)
        end
      end

      def test_passwords_of_sources_are_not_kept
        location = app(gemfile: GEMFILE.sub("http://", "http://me:s3cret@"))
        facts = evaluate(location)
        assert_predicate facts, :agrees?, facts.difference
        assert_equal ["http://me:s3cret@gems.test/"], facts.sources
        recalled = recall(location)
        assert_equal ["http://gems.test/"], recalled.sources
        assert_predicate recalled, :hidden?
        assert_equal facts.sources, Check.sources(recalled, location: location, settings: settings(location))
        stored = Dir.glob(File.join(store.root, "**/*")).select { |path| File.file?(path) }
        refute_empty stored
        stored.each { |path| refute_match(/s3cret/, File.binread(path), path) }
      end

      def test_crash_is_retried_once_and_then_reported
        once = "File.exist?('crashed') || (File.write('crashed', '') && Process.kill(:SEGV, Process.pid))\n"
        assert_predicate evaluate(app(gemfile: GEMFILE + once)), :agrees?
        error = assert_raises(EvaluationFailed) do
          evaluate(app(gemfile: "#{GEMFILE}Process.kill(:KILL, Process.pid)\n"))
        end
        assert_equal "Ruby was killed by SIGKILL, twice", error.details.first
      end

      def test_switching_between_two_branches_evaluates_each_once
        location = app(gemfile: "#{GEMFILE}gem 'extra' if ENV['EXTRA']\n")
        assert_predicate evaluate(location), :agrees?
        4.times do |number|
          @env["EXTRA"] = number.to_s
          refute_predicate evaluate(location), :agrees?
        end
        refute_predicate recall(location), :agrees?
        @env["EXTRA"] = "1"
        assert recall(location)
        @env.delete("EXTRA")
        assert_nil recall(location), "only the latest are kept"
      end

      def test_a_gemspec_with_a_version_file_and_a_list_from_git
        write("app/lib/own/version.rb", "module Own; VERSION = '1.0.0'; end\n")
        write("app/exe/own", "#!/usr/bin/env ruby\n")
        write("app/own.gemspec", <<~'RUBY')
          require_relative "lib/own/version"
          Gem::Specification.new do |spec|
            spec.name = "own"
            spec.version = Own::VERSION
            spec.authors = ["one"]
            spec.summary = "own"
            spec.files = `git ls-files -z`.split("\0") + Dir["lib/**/*.rb"]
            spec.bindir = "exe"
            spec.executables = Dir.children(File.join(__dir__, "exe"))
            spec.add_dependency "thor"
          end
        RUBY
        own = "PATH\n  remote: .\n  specs:\n    own (1.0.0)\n      thor\n\n"
        lockfile = own + LOCK.sub("  rack (~> 2.0)\n", "  own!\n")
        location = app(gemfile: "source 'http://gems.test'\ngemspec\ngem 'thor', group: :tools\n", lockfile: lockfile)
        facts = evaluate(location)
        assert_predicate facts, :agrees?, facts.difference
        assert_empty facts.volatile
        own = facts.path_specs.first
        assert_equal ["own", "1.0.0", ".", "exe", ["own"]], own.to_a.first(5)
        assert_equal %w[own thor], facts.dependencies.map(&:name)
        assert recall(location)
        appears(location, "exe/second", "other.gemspec", "lib/own/new.rb")
        edits(location, "own.gemspec")
        write("app/lib/own/version.rb", "module Own; VERSION = '1.1.0'; end\n")
        assert_nil recall(location)
        refute_predicate evaluate(location), :agrees?
      end

      def test_git_sources_are_not_touched
        gemfile = <<~RUBY
          source "http://gems.test"
          gem "rack", "~> 2.0"
          gem "thor", git: "http://127.0.0.1:1/thor.git", branch: "main", group: :tools
        RUBY
        locked = LOCK.sub("    thor (1.3.0)\n", "").sub("  thor\n", "  thor!\n")
        git = "GIT\n  remote: http://127.0.0.1:1/thor.git\n  revision: #{"a" * 40}\n  branch: main\n  specs:\n" \
              "    thor (1.3.0)\n\n"
        location = app(gemfile: gemfile, lockfile: git + locked)
        facts = evaluate(location)
        assert_predicate facts, :agrees?, facts.difference
        assert recall(location)
        other = app(gemfile: gemfile.sub("main", "next"), lockfile: git + locked)
        assert_match(/thor|sources/, evaluate(other).difference)
      end

      def test_unobservable_inputs_are_not_stored
        {
          "`hostname`" => /runs `hostname`/,
          "system('true')" => /runs `true`/,
          "require 'socket'; begin; TCPSocket.new('127.0.0.1', 1); rescue SystemCallError; end" => /opens a socket/,
          "ENV.to_h" => /calls ENV.to_h/,
          "File.write('note', 'x'); File.open('note', 'a') { |file| file << 'y' }" => /writes .*note/,
          "Time.new" => /calls Time#initialize/, "rand" => /calls Kernel#rand/, "$$ " => /reads \$\$/,
          "File.umask" => /calls File.umask/, "File.ctime('.')" => /calls File.ctime/
        }.each do |line, reason|
          location = app(gemfile: "#{GEMFILE}#{line}\n")
          facts = evaluate(location)
          assert_predicate facts, :agrees?
          assert_match reason, facts.volatile.join("\n")
          assert_nil recall(location), line
        end
      end

      def test_plugins_are_reported_even_if_their_source_is_unknown
        facts = evaluate(app(gemfile: "#{GEMFILE}plugin 'bundler-graph'\n"))
        assert_equal %w[bundler-graph], facts.plugins
        facts = evaluate(app(gemfile: "#{GEMFILE}source('http://s.test', type: 's3') { gem 'x' }\n"))
        assert_equal ["source type s3"], facts.plugins
        refute_predicate facts, :agrees?
      end

      def test_gemfile_that_raises_exits_or_is_not_ruby
        { "raise 'why not'" => /why not/, "exit 3" => /exit/, "gem 'x" => /x/ }.each do |line, words|
          error = assert_raises(EvaluationFailed) { evaluate(app(gemfile: "puts 'noise'\n#{line}\n")) }
          assert_match words, error.details.join("\n"), line
          refute_match(/Bundler::\S*Error|\A\s*\z/, error.details.first)
          assert_equal 4, error.exit_code
        end
      end

      def test_evaluation_runs_in_the_background_and_can_be_cancelled
        location = app(gemfile: "sleep\n")
        evaluation = Check.start(location: location, settings: settings(location))
        evaluation.cancel
        refute_predicate evaluation.instance_variable_get(:@thread), :alive?
      end

      def test_recalling_loads_neither_rubygems_nor_bundler
        @env["BUNDLE_PATH"] = "vendor/bundle"
        location = app
        evaluate(location)
        script = <<~'RUBY'
          before = $LOADED_FEATURES.dup
          require "spate"
          location = Spate::Gemfile.find(ARGV[0])
          settings = Spate::Settings.load(root: location.root)
          facts = Spate::Gemfile::Check.recall(store: Spate::Store.open(home: ARGV[1]), location: location,
                                                 settings: settings)
          Spate::Layout.for(settings, location.root).gems
          puts facts.agrees?
          heavy = %w[rubygems bundler json set uri psych time rbconfig socket openssl fileutils pathname tempfile]
          puts ($LOADED_FEATURES - before).map { |path| File.basename(path)[/\A\w+/] } & heavy
          puts "Gem" if defined?(Gem)
        RUBY
        env = { "BUNDLE_PATH" => "vendor/bundle", "HOME" => folder }.merge(ENV.keys.grep(/\ABUNDLE/).to_h { [_1, nil] })
        output = IO.popen([env, RbConfig.ruby, "--disable-gems", "-I", File.expand_path("../../lib", __dir__), "-e",
                           script, location.root, File.join(folder, "spate")], &:read)
        assert_equal "true\n", output
      end
    end
  end
end
