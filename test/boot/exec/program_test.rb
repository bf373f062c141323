# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # `spate exec` finds and runs programs like `bundle exec`, with and without compile caches.
  class ExecProgramTest < ExecCase
    def assert_same(program, *arguments, **env)
      (expected, its), (found, ours) = both(program, *arguments, **env)
      assert_equal expected, found
      assert_equal [its.exitstatus, its.termsig], [ours.exitstatus, ours.termsig]
      found
    end

    SEES = <<~'RUBY'
      require "local"
      p ARGV, $0, __FILE__ == $0, __dir__, Local.answer, Local::WHERE, $LOAD_PATH, Gem.loaded_specs.keys.sort
      p ENV.to_h.except("_", "RUBYOPT", "SPATE_RUBY", "SPATE_BUNDLER_SETUP", "BUNDLER_SETUP").sort.grep(/BUNDLE|GEM|RUBY|SPATE|PATH/)
      p GC.disable, $stdin.tty?, self.to_s, Thread.list.size, defined?(DidYouMean), defined?(ErrorHighlight)
      def here = caller(0).first
      puts here
    RUBY

    def test_a_program_sees_the_same_with_a_compile_cache_and_without
      assert_same(SEES, "one", "--two", SPATE_HEAP: "0")
      build
      assert_equal true, parts["replay"]
      assert_same(SEES, "one", "--two", SPATE_HEAP: "0")
    end

    def test_exit_codes_and_signals_are_the_programs_own
      build
      assert_same("exit 7")
      assert_same("exit!(3)")
      assert_same("abort 'no'")
      assert_same("Process.kill(:TERM, $$); sleep 5")
      assert_same("at_exit { puts 'end' }; throw :x if ARGV.empty?", "word")
    end

    # Test libraries read `$!` in at_exit to report how the program ended.
    def test_no_exception_is_set_at_exit_when_a_program_ends_by_itself
      assert_equal "nil\n", assert_same("at_exit { p $! }")
      assert_same("at_exit { p $! }; exit")
    end

    def test_a_program_that_a_shell_starts_in_the_background_is_interrupted
      command = "trap '' INT; exec \"$@\" ruby -e 'p trap(:INT, %q(DEFAULT))'"
      expected, = project.run("sh", "-c", command, "sh", "bundle", "exec")
      spate = [RbConfig.ruby, "--disable-gems", File.expand_path("../../../exe/spate", __dir__)]
      assert_equal [expected, "\"DEFAULT\"\n"], [project.run("sh", "-c", command, "sh", *spate, "exec").first, expected]
    end

    # The JIT options that this Ruby has.
    JITS = %w[--yjit --zjit --mjit --rjit].select do |option|
      system(RbConfig.ruby, "--disable-gems", option, "-e", "exit", %i[out err] => File::NULL)
    end

    def test_ruby_with_a_jit_behaves_the_same
      skip "this Ruby has no JIT" if JITS.empty?

      asks = "require 'local'; p Local.answer, Bundler::VERSION, RUBY_DESCRIPTION"
      expected = JITS.to_h { |jit| [jit, project.run("bundle", "exec", "ruby", jit, "-e", asks).first] }
      JITS.each { |jit| assert_equal expected[jit], spate_exec("ruby", jit, "-e", asks).first }
      build
      asks += ", Spate::Boot.session.parts.values_at(:loader, :replay)"
      JITS.each { |jit| assert_equal "#{expected[jit]}[true, true]\n", spate_exec("ruby", jit, "-e", asks).first }
    end

    def test_ruby_keeps_the_name_of_its_command
      command = ["ruby", "no-such-file.rb"]
      expected, = project.run("bundle", "exec", *command)
      assert_equal expected, spate_exec(*command).first
      assert_includes expected, "no-such-file.rb"
    end

    def test_an_exception_names_the_program_and_keeps_its_lines
      (expected, its), (found, ours) = both("def deep = raise('deep trouble')\ndeep")
      assert_equal its.exitstatus, ours.exitstatus
      assert_includes found, "failed to load command: ./program.rb"
      assert_equal(*[expected, found].map { |text| text.lines.grep(%r{app/program.rb:\d}) })
    end

    def test_error_message_keeps_its_suggestions
      build
      (expected,), (found,) = both("[].frist rescue puts $!.full_message(highlight: false)")
      assert_includes found, "Did you mean?"
      assert_equal expected.lines.first(5), found.lines.first(5)
    end

    def test_open_files_are_passed_on_as_by_bundler
      spate = ["ruby", "--disable-gems", "-I#{File.expand_path("../../../lib", __dir__)}",
               File.expand_path("../../../exe/spate", __dir__)]
      { %w[bundle exec] => "kept\n", [*spate, "exec"] => "kept\n",
        [*spate, "exec", "--keep-file-descriptors"] => "kept\n",
        [*spate, "exec", "--no-keep-file-descriptors"] => "" }.each do |command, expected|
        assert_equal expected, through_descriptor(command), command
      end
    end

    # The output that a command writes to a file descriptor that it inherited.
    def through_descriptor(command)
      path = File.join(folder, "open")
      File.open(path, "w") do |file|
        options = { 9 => file, chdir: project.folder, err: File::NULL }
        Process.wait(Process.spawn(project.env, *command, "sh", "-c", "echo kept >&9", **options))
      end
      File.read(path)
    end

    def test_commands_that_cannot_be_run
      output, status = spate_exec
      assert_equal [128, "error: exec needs a command to run\nhint: spate exec COMMAND\n"], [status.exitstatus, output]
      output, status = spate_exec("no-such-program")
      assert_equal [127, true], [status.exitstatus, output.match?(/^error: command not found: no-such-program\nhint: /)]
      write("app/tools/some-program", "#!/bin/sh\n", mode: 0o755)
      path = "#{project.path("tools")}:#{ENV.fetch("PATH")}"
      assert_equal "error: command not found: some-porgram\nhint: did you mean some-program?\n",
                   spate_exec("some-porgram", PATH: path).first
      assert_match(/^hint: neither the bundle nor /, spate_exec("some-pogram-s", PATH: path).first)
      write("app/plain.txt", "text")
      assert_equal 127, spate_exec("plain.txt").last.exitstatus
      output, status = spate_exec("./plain.txt")
      assert_equal [126, true], [status.exitstatus, output.match?(/^error: not executable: .*\nhint: chmod/)]
    end

    def test_a_program_that_is_not_ruby_takes_the_process_over_with_the_bundles_environment
      script = "#!/bin/sh\necho $BUNDLE_GEMFILE; ruby -e 'require \"local\"; p Local.answer'; exit 5\n"
      write("app/tool.sh", script, mode: 0o755)
      output, status = spate_exec("./tool.sh")
      assert_equal [5, "#{project.path("Gemfile")}\n42\n"], [status.exitstatus, output]
    end

    def test_another_program_has_the_environment_that_bundle_exec_gives_it
      build
      # BUNDLER_SETUP (Bundler 2.4 and later) differs: Spate sets it, so that Ruby programs boot from it, too.
      words = ["sh", "-c", "env | grep -E '^(BUNDLE|GEM|MANPATH|PATH|RUBYLIB)' | grep -v ^BUNDLER_SETUP= | sort"]
      [{ BUNDLE_PATH: "vendor/bundle" }, { GEM_HOME: folder, MANPATH: "/nowhere" }].each do |env|
        2.times do
          expected, = project.run("bundle", "exec", *words, **env)
          found, = spate_exec(*words, **env)
          assert_equal expected, found
          project.spate("boot", "build", **env)
        end
      end
    end

    def test_ruby_itself
      build
      [%w[-e p(ARGV,$0) a b], ["-rlocal", "-e", "p Local.answer"], %w[-w -e p($VERBOSE,$LOAD_PATH.size)],
       %w[-ne print]].each do |words|
        expected = project.run("bundle", "exec", "ruby", *words)
        found = spate_exec("ruby", *words)
        assert_equal [expected[0], expected[1].exitstatus], [found[0], found[1].exitstatus]
      end
    end

    def test_options_of_spate_exec
      write("other/Gemfile", "")
      project.run!("bundle", "lock", BUNDLE_GEMFILE: File.join(folder, "other/Gemfile"))
      output, = spate_exec("--gemfile", File.join(folder, "other/Gemfile"), "ruby", "-e", "puts ENV['BUNDLE_GEMFILE']")
      assert_equal File.join(folder, "other/Gemfile"), output.chomp
      assert_includes spate_exec("--help").first, "Usage: spate exec"
      output, status = spate_exec("--nothing", "ruby", "-v")
      assert_equal ["error: unknown option --nothing\nhint: spate exec --help\n", 2], [output, status.exitstatus]
    end

    def test_relative_bundle_gemfile_is_valid_for_child_processes
      words = ["sh", "-c", 'echo $BUNDLE_GEMFILE; cd / && ruby -e "require %q(local); p Local.answer"']
      expected, = project.run("bundle", "exec", *words, BUNDLE_GEMFILE: "Gemfile")
      assert_equal expected, spate_exec(*words, BUNDLE_GEMFILE: "Gemfile").first
      assert_equal "#{project.path("Gemfile")}\n42\n", expected
    end

    # As in the programs of gems, if Ruby is not named `ruby`. A second start of Ruby would not have Spate's own file.
    def test_script_that_names_this_ruby_is_loaded
      name = RbConfig::CONFIG["ruby_install_name"]
      loaded = "p $0, $LOADED_FEATURES.any? { |path| path.end_with?('/boot/exec/program.rb') }, Local.answer"
      path = write("app/program", "#!/usr/bin/env #{name}\nrequire 'local'\n#{loaded}\n", mode: 0o755)

      assert_equal "#{path.inspect}\ntrue\n42\n", spate_exec(path).first
      write("other/#{name}", "#!/bin/sh\necho another ruby\n", mode: 0o755)
      assert_equal "another ruby\n", spate_exec(path, PATH: "#{folder}/other:#{ENV.fetch("PATH")}").first
    end

    def test_wrapper_of_rubygems_behaves_the_same
      path = write("app/program.rb", "#!/usr/bin/env ruby\np $LOAD_PATH, Gem.loaded_specs.keys", mode: 0o755)
      build
      expected, = spate_exec(path)
      found, = project.run("ruby", File.expand_path("../../../exe/spate", __dir__), "exec", path)
      assert_equal expected, found
    end

    def test_behaves_as_bundle_exec_when_turned_off
      build
      [{ SPATE_BOOT: "0" }, { RUBY_BOX: "1" }].each do |switch|
        expected, found = both_by_program("#{SEES}\np defined?(Spate::Boot)", switch)
        assert_equal expected.lines.first(9).join, found.lines.first(9).join
        child = "require 'local'; puts [Local.answer, defined?(Spate::Native), defined?(Bundler::Definition)].inspect"
        expected, found = both_by_program("system('ruby', '-e', #{child.dump})", switch)
        assert_equal [expected, 42], [found, found[/\d+/].to_i]
      end
    end

    # The output under `bundle exec` and under `spate exec`, without Ruby's own message about the switch, which contains
    # the name of the program.
    def both_by_program(program, switch)
      said, = project.run(RbConfig.ruby, "--disable-gems", "-e", "", **switch)
      words = said.empty? ? "" : /^\S*#{Regexp.escape(said.delete_prefix(RbConfig.ruby))}/
      both(program, **switch).map { |output, _| output.gsub(words, "") }
    end
  end
end
