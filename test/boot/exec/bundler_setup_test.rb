# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # A bundle that cannot be set up. There must be one error with a hint and a documented exit code.
  class BundlerSetupTest < ExecCase
    LOCKED = "GEM\n  specs:\n    not-there-at-all (99.0.1)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  not-there-at-all\n"
    PROGRAMS = [%w[ruby -e 1], %w[./program.rb]].freeze

    def setup
      super
      write("app/program.rb", "#!/usr/bin/env ruby\nputs 'ran'\n", mode: 0o755)
    end

    # Asserts that each way to start a program (Ruby, a script in this process, all parts disabled) reports the same
    # error with this exit code. Returns the error.
    def told(code, **env)
      texts = [*PROGRAMS.map { |words| [words, {}] }, [PROGRAMS.last, { SPATE_BOOT: "0" }]].map do |words, switch|
        text, status = spate_exec(*words, **env, **switch)
        assert_equal code, status.exitstatus, text
        text
      end
      assert_equal 1, texts.uniq.size, texts.uniq.join("\n---\n")
      texts.first.tap { |text| refute_match(/\.rb:\d+:in/, text) }
    end

    def test_a_missing_gem
      File.write(project.path("Gemfile"), "gem 'not-there-at-all'\n")
      File.write(project.path("Gemfile.lock"), LOCKED)
      text = told(11)
      assert_match(/\Aerror: 1 gem of the bundle missing\n  not-there-at-all\S*\nhint: spate install\n\z/, text)
      assert_equal text, told(11, BUNDLER_FORCE_TTY: "1")
    end

    def test_a_lockfile_with_a_merge_conflict
      File.write(project.path("Gemfile.lock"), LOCKED.sub("    not", "<<<<<<< HEAD\n    not"))
      text = told(3)
      assert_match(/\Aerror: \S+Gemfile.lock:3: contains merge conflicts \(<<<<<<<\)\nhint: .+\n\z/, text)
    end

    # The program requests spate like the wrappers of RubyGems.
    def test_spate_itself
      write("app/bin/spate", "#!/usr/bin/env ruby\ngem 'spate'\n", mode: 0o755)
      [{}, { SPATE_BOOT: "0" }].each do |switch|
        text, status = spate_exec("spate", "serve", "--port", "0", PATH: "#{project.path("bin")}:#{ENV.fetch("PATH")}",
                                                                   **switch)
        assert_equal [<<~TEXT, 2], [text, status.exitstatus]
          error: spate is not part of the bundle
          hint: it sets up the bundle itself: run it without `spate exec`: spate serve --port 0
        TEXT
      end
    end

    def test_hint_is_not_install_when_no_gem_is_missing
      text, status = spate_exec("nosuch")
      assert_equal 127, status.exitstatus
      assert_match(/\Aerror: command not found: nosuch\nhint: neither the bundle nor /, text)

      write("app/other/Gemfile", "gem 'not-there-at-all'\n")
      write("app/other/Gemfile.lock", LOCKED)
      text, = spate_exec("--gemfile", "other/Gemfile", "nosuch")
      assert_match(/\Aerror: command not found: nosuch\nhint: gems of the bundle are missing: spate install/, text)
    end

    def test_no_gemfile
      File.unlink(project.path("Gemfile"))
      assert_match(/\Aerror: no Gemfile or gems.rb in \S+ or any folder above\nhint: .+\n\z/, told(2))
      text = told(2, BUNDLE_GEMFILE: project.path("Other"))
      assert_match(/\Aerror: \S+Other does not exist\nhint: .+BUNDLE_GEMFILE.+\n\z/, text)
    end

    def test_a_gemfile_that_raises
      File.write(project.path("Gemfile"), "raise 'oh dear'\n")
      text = told(4)
      assert_match(/\Aerror: \S+Gemfile cannot be evaluated\n/, text)
      assert_includes text, "oh dear"
      assert_match(/^hint: .+\n\z/, text)
    end

    def test_missing_folder_of_a_path_gem
      File.write(project.path("Gemfile"), "gem \"not-there\", path: \"not-there\"\n")
      File.write(project.path("Gemfile.lock"), <<~LOCK)
        PATH
          remote: not-there
          specs:
            not-there (1.0)

        PLATFORMS
          ruby

        DEPENDENCIES
          not-there!
      LOCK
      text = told(14)
      assert_match(/\Aerror: the bundle cannot be set up: .*not-there.* does not exist.*\nhint: check the `path`/, text)
    end

    def test_missing_checkout
      File.write(project.path("Gemfile"), "gem \"away\", git: \"file:///nowhere/away\"\n")
      File.write(project.path("Gemfile.lock"), <<~LOCK)
        GIT
          remote: file:///nowhere/away
          revision: 0123456789012345678901234567890123456789
          specs:
            away (1.0)

        PLATFORMS
          ruby

        DEPENDENCIES
          away!
      LOCK
      assert_match(%r{\Aerror: the bundle is incomplete\n  .*nowhere/away.*\nhint: spate install\n\z}, told(11))
    end

    def test_backtrace_on_request
      File.write(project.path("Gemfile"), "raise 'oh dear'\n")
      [[{}, "--verbose"], [{ DEBUG: "1" }], [{ SPATE_VERBOSE: "1" }]].each do |env, *options|
        text, status = project.spate("exec", *options, "./program.rb", **env)
        assert_equal [4, true], [status.exitstatus, text.match?(/Gemfile:1:in/)], text
      end
    end

    # If the application calls Bundler.setup itself, it may rescue the exception.
    def test_application_that_calls_setup_gets_bundlers_exception
      File.write(project.path("Gemfile"), "gem 'not-there-at-all'\n")
      File.write(project.path("Gemfile.lock"), LOCKED)
      write("app/boot.rb", <<~RUBY)
        require "spate/boot" if ARGV.first
        begin
          require "bundler/setup"
        rescue Bundler::GemNotFound => e
          puts e.class, e.message
        end
      RUBY
      library = File.expand_path("../../../lib", __dir__)
      expected, = project.run("ruby", "boot.rb")
      found, = project.run("ruby", "-I#{library}", "boot.rb", "with")
      assert_includes expected, "Bundler::GemNotFound"
      assert_equal expected, found
    end
  end
end
