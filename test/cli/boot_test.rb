# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # The output of the subcommands of `spate boot`, and their effect on compile caches of real boots.
  class BootCommandsTest < ExecCase
    PROGRAM = "require 'local'; require 'shellwords'; require 'json'"

    def boot(*words, **env) = project.spate("boot", *words, **env)

    def boot!(*words, **env)
      output, status = boot(*words, **env)
      assert_predicate status, :success?, output
      output
    end

    def facts(*words, **env) = JSON.parse(boot(*words, "--json", **env).first.lines.last)

    # Boots once with the builder enabled, so that everything is in compile caches.
    def recorded = build("ruby", "-e", PROGRAM)

    def built
      boot!("build", "local")
      assert cache, "no compile cache"
    end

    def damage(path)
      size = File.size(path)
      File.open(path, "r+b") do |file|
        file.seek(size - 40)
        byte = file.read(1).ord
        file.seek(size - 40)
        file.write((byte ^ 0x55).chr)
      end
    end

    def overlay = Dir["#{project.home}/spate/store/v1/compile-cache/*/apps/*.compiled"].first

    def test_unknown_command
      output, status = boot("stauts")

      assert_equal 2, status.exitstatus
      assert_equal "error: unknown command `spate boot stauts`\nhint: did you mean `spate boot status`?\n", output
    end

    def test_build_makes_what_the_next_boot_uses
      output = boot!("build", "local", "-j", "2")
      assert_match(/\A(\d+ gems? compiled, )?\d+ files? compiled, \d+ copied: [\d.]+ kB in [\d.]+ s\n\z/, output)

      output, = spate_exec("ruby", "-e", "require 'local'; p Spate::Native::Loader.recorded.to_h[Local::WHERE], " \
                                         "Spate::Boot.session.parts.values_at(:loader, :replay, :load_path_cache)")
      assert_equal ":hit\n[true, true, true]\n", output
    end

    def test_build_reports_as_json
      report = facts("build", "local")

      assert_equal "compile_cache", report["event"]
      assert_equal [true, 0], report.values_at("boot", "failed")
      assert_operator report["compiled"], :>=, 1
    end

    def test_build_excludes_files_matching_a_pattern
      write("app/local/lib/left/out.rb", "LEFT = 1\n")
      boot!("build", "local", "--exclude", "/left/")

      paths = Native::CompileCache.open(overlay, key: File.basename(File.dirname(overlay, 2))).paths
      assert_equal [project.path("local/lib/local.rb")], paths.grep(/local/)
      assert_match(/--exclude: .*\nhint: spate boot build --exclude /, boot("build", "--exclude", "(").first)
    end

    def test_build_of_another_gemfile
      write("other/Gemfile", "")
      project.run!("bundle", "lock", chdir: "#{folder}/other")
      boot!("build", "--gemfile", "../other/Gemfile")

      assert_equal "#{folder}/other/Gemfile", facts("status", "--gemfile", "../other/Gemfile")["gemfile"]
      assert_equal "missing", facts("status")["compile_cache"]["reason"]
    end

    def test_build_where_writing_is_forbidden
      output, status = boot("build", SPATE_READONLY: "1")

      assert_equal 9, status.exitstatus
      assert_match(/^error: compile caches were not built\n  .* is not writable\nhint: unset SPATE_READONLY/, output)
    end

    def test_status_before_anything_and_after
      before = boot!("status")
      assert_match(/^cache      none yet$/, before)
      assert_match(/^hint: `spate boot build` builds them now/, before)

      recorded
      spate_exec("ruby", "-e", PROGRAM)
      after = boot!("status")
      assert_match(/^for        ruby #{RUBY_VERSION}/, after)
      assert_match(/^cache      \d+ files, .* as recorded/, after)
      assert_match(/^replay     replaces Bundler.setup$/, after)
      assert_match(/^boot       .*without compile caches.*; saved /, after)
      refute_match(/differs/, after)
    end

    # If no Gemfile is used or the loader is disabled, boots create no compile caches.
    def test_status_gives_no_build_hint_while_builds_are_disabled
      none = ->(**env) { boot("status", **env).first.lines.grep(/^hint: /) }

      assert_empty none.call(SPATE_BOOT: "0")
      assert_equal ["hint: unset SPATE_READONLY, or set SPATE_HOME=DIR to a store of your own\n"],
                   none.call(SPATE_READONLY: "1")
      recorded
      assert_empty none.call(SPATE_READONLY: "1")
    end

    def test_status_has_one_row_for_a_program_that_takes_the_place_of_spate
      recorded
      write("app/other.rb", "#!#{Util::Ruby.path} -W0\n#{PROGRAM}", mode: 0o755)
      spate_exec("./other.rb")

      assert_equal ["-e", "other.rb"], (facts("status")["boots"].map { |one| one["kind"] })
      assert_match(/^boot       other.rb: .* time without compile caches unknown \(measure it: spate/, boot!("status"))
    end

    def test_status_reports_stale_files_with_reasons
      built
      assert_match(/^cache      no recorded files yet, /, boot!("status"))
      sleep 0.03
      write("app/local/lib/local.rb", "module Local\nend\n")
      found = facts("status")

      assert_equal [1, 0], found["overlay"].values_at("stale", "hit")
      assert_match(/its size differs/, found["overlay"]["differing"].first["reason"])
      assert_match(%r{^differs    .*/local.rb: its size differs}, boot!("status"))

      write("app/Gemfile", "#{File.read(project.path("Gemfile"))}\n")
      output = boot!("status")
      assert_match(/^replay     not used: .*Gemfile changed$/, output)
      assert_match(/built for another Gemfile/, output)
    end

    def test_status_reports_switches_and_disabled_parts
      write("app/Gemfile.lock", File.read(project.path("Gemfile.lock")).sub("\nPLATFORMS", <<~TEXT.chomp))

        GEM
          specs:
            bootsnap (1.18.4)

        PLATFORMS
      TEXT
      found = facts("status", SPATE_NO_LOAD_PATH_CACHE: "1", RUBY_BOX: "1", CI: "1", SPATE_BOOT_BACKGROUND: nil)

      assert_equal "1", found["switches"]["SPATE_NO_LOAD_PATH_CACHE"]
      assert_equal ["bootsnap", "Spate's loader"], (found["aside"].map { |one| one["who"] })
      assert_equal "CI is set", found["builder"]["forbidden"]

      write("app/config/bootsnap.rb", "")
      assert_match(/configures how bootsnap compiles/, facts("status")["aside"].first["why"])
    end

    def test_status_reports_results_of_the_last_boot
      built
      spate_exec("ruby", "-e", PROGRAM, SPATE_NO_YAML: "1")

      assert_match(/^aside      yaml: turned off \(the last boot\)$/, boot!("status"))
    end

    def test_status_and_doctor_report_the_same_about_the_bundler_replay
      recorded
      write("app/Gemfile", "#{gemfile = File.read(project.path("Gemfile"))}\n")
      2.times { spate_exec("ruby", "-e", "1") }
      reason = /#{Regexp.escape(project.path("Gemfile"))} changed/
      assert_match(/^replay     not used: #{reason}$/, boot!("status"))
      assert_match(/ran Bundler.setup, without its replay: #{reason}\n +hint: spate boot build.*"Bundler replay"$/,
                   project.spate("doctor").first)

      write("app/Gemfile", gemfile)
      boot!("build")
      outputs = [boot!("status"), project.spate("doctor").first]
      outputs.each { |output| refute_match(/Gemfile changed/, output) }
    end

    def test_verify_lists_damaged_files
      built
      assert_match(/\A\d+ compile caches with \d+ files?, .*: no damage\n\z/, boot!("verify"))

      damage(overlay)
      output, status = boot("verify")
      assert_equal 9, status.exitstatus
      assert_match(/^#{Regexp.escape(overlay)}: damaged: .*local.rb$/, output)
      assert_match(/^hint: /, output)

      File.chmod(0o666, cache)
      found = facts("verify")
      assert_equal [false, %w[damaged writable]], [found["ok"], found["damaged"].map { |one| one["reason"] }.sort]
    end

    def test_damage_causes_one_warning_and_is_repaired_by_a_build
      built
      damage(overlay)
      output, = spate_exec("ruby", "-e", "require 'local'; puts Local.answer")
      assert_match(/^spate: #{Regexp.escape(overlay)} \(\w+\) cannot be used, .*spate boot verify/, output)
      assert_equal ["42\n"], output.lines.grep_v(/\Aspate:/)
      assert_equal 2, output.lines.size

      boot!("build")
      assert_equal "42\n", spate_exec("ruby", "-e", "require 'local'; puts Local.answer").first
      boot!("verify")
    end

    def test_clear
      built
      kept = Dir["#{project.home}/spate/store/v1/compile-cache/own/*"]
      assert_match(/\Aremoved \d+ files: /, boot!("clear"))
      refute cache
      assert_equal kept, Dir["#{project.home}/spate/store/v1/compile-cache/own/*"]
      assert_equal "nothing to remove\n", boot!("clear")

      built
      boot!("clear", "--all")
      assert_empty Dir["#{project.home}/spate/store/v1/compile-cache/**/*.compiled"]
    end

    def test_build_of_a_missing_folder
      output, status = boot("build", "app", "local")

      assert_equal 2, status.exitstatus
      assert_equal "error: app does not exist in #{File.realpath(project.folder)}\n" \
                   "hint: spate boot build local\n", output
    end

    def test_status_without_a_gemfile
      write("bare/x.rb", "")
      output, = project.spate("boot", "status", chdir: "#{folder}/bare")

      assert_match(/^hint: `spate boot build FOLDER` .* needs a Gemfile$/, output)
    end

    def test_profile_without_the_two_dashes
      output, status = boot("profile", "ruby", "-e", "1")

      assert_equal 2, status.exitstatus
      assert_equal "error: unknown option -e\n" \
                   "hint: put `--` before the command: spate boot profile -- ruby -e 1\n", output
      assert_match(/^hint: did you mean --output\?$/, boot("profile", "--outptu", "x", "ruby").first)
    end

    def test_profile_of_an_unknown_program_leaves_the_page
      write("app/spate-profile.html", "good")
      output, status = boot("profile", "--", "nosuch")

      assert_equal 127, status.exitstatus
      assert_match(/\Aerror: command not found: nosuch\nhint: .*\nwarning: no page was written: .* 127\n\z/, output)
      assert_equal "good", File.read(project.path("spate-profile.html"))
    end

    def test_doctor_with_a_gemfile_that_is_not_there
      output, status = project.spate("doctor", "--gemfile", "#{folder}/nope")

      assert_equal 2, status.exitstatus
      assert_match(%r{^  broken  #{folder}/nope does not exist\n +hint: the name comes from --gemfile}, output)
      assert_match(/^  ok      its 1 gem is installed$/, project.spate("doctor").first)
    end

    def test_clear_gives_up_waiting_for_a_builder
      built
      lock = Dir["#{project.home}/spate/store/v1/compile-cache/*/boots/*.lock"].first
      File.open(lock) do |file|
        file.flock(File::LOCK_EX)
        assert_equal true, facts("status")["builder"]["working"]
        output, status = boot("clear")
        assert_equal 9, status.exitstatus
        assert_match(/a builder is running for/, output)
      end
    end

    def test_explain_a_feature
      recorded
      output = boot!("explain", "local", "shellwords")

      assert_match(%r{^local: .*/local/lib/local.rb$}, output)
      assert_match(/^  load path  the first in \$LOAD_PATH, at \d+$/, output)
      assert_match(/^  ruby       the same$/, output)
      assert_match(/^  cache      overlay's, .*\.compiled \(\d+ B of code\)$/, output)
      assert_match(/^  file       its compiled code is used$/, output)
      assert_match(%r{^shellwords: .*/shellwords.rb\n(  .*\n)*  cache      application's, }, output)
    end

    def test_explain_a_shadowed_and_an_edited_file
      recorded
      sleep 0.03
      write("app/local/lib/shellwords.rb", "SHADOW = 1\n")
      write("app/local/lib/local.rb", "module Local; end\n")
      set, local = boot!("explain", "shellwords", "local", "--json").lines.map { |line| JSON.parse(line) }

      assert_equal project.path("local/lib/shellwords.rb"), set["path"]
      assert_equal ["chosen", "after the chosen one in $LOAD_PATH"],
                   (set["load_path_cache"]["candidates"].map { |one| one["why"] })
      assert_equal ["miss", set["path"]], set.values_at("outcome", "ruby")
      assert_equal "stale", local["outcome"]
      assert_match(/its size differs/, local["why"])
    end

    def test_explain_a_path_and_an_unknown_feature
      recorded
      output, status = boot("explain", "./local/lib/local.rb", "no/where")

      assert_equal 11, status.exitstatus
      assert_match(%r{^\./local/lib/local.rb: /.*\n(  .*\n)*  file       its compiled code is used$}, output)
      assert_match(%r{^no/where: nowhere\n  load path  not found in \$LOAD_PATH$}, output)
    end

    # `set` is built into Ruby 4.0 and later, `enumerator` into all versions.
    def test_explain_a_part_of_ruby
      names = ["enumerator", *("set" if $LOADED_FEATURES.include?("set.rb"))]
      output, status = boot("explain", *names)

      assert_equal 0, status.exitstatus, output
      names.each { |name| assert_match(/^#{name}: Ruby\n  file       part of Ruby itself: /, output) }
      refute_includes output, "load path"
      assert_match(%r{^pathname: /.*/pathname\.rb$}, boot("explain", "pathname").first)
    end

    # Disables Ruby's warning that the feature is experimental.
    def test_commands_work_with_ruby_box
      [%w[list], %w[check], %w[lock --print]].each do |words|
        expected, = project.spate(*words, RUBYOPT: "-W:no-experimental")
        found, status = project.spate(*words, RUBY_BOX: "1", RUBYOPT: "-W:no-experimental")
        assert_equal [expected, 0], [found, status.exitstatus]
      end
    end

    def test_explain_without_spate_in_the_boot
      output, status = project.spate("boot", "explain", "local", SPATE_BOOT: "0")

      assert_equal 0, status.exitstatus, output
      assert_match(/^  file       Ruby compiles: Spate is not active in this boot$/, output)
    end

    def test_explain_where_the_bundle_is_incomplete
      write("app/Gemfile", "gem 'missing'\n")
      output, status = boot("explain", "set")

      assert_equal 11, status.exitstatus
      assert_match(/^error: the bundle could not be set up\n(  .*\n)+hint: spate check$/, output)
    end

    def test_events_with_reasons_by_log_and_block
      recorded
      sleep 0.03
      write("app/local/lib/local.rb", "module Local; SECOND = 2; end\n")
      write("app/local/lib/more.rb", "MORE = 1\n")
      log = "#{folder}/boot.log"
      block = "Spate::Boot.instrumentation = ->(event, path, reason) { $seen << [event, File.basename(path), reason] };"
      output, = spate_exec("ruby", "-e", "$seen = []; #{block}#{PROGRAM}; require 'more'; " \
                                         "p $seen.find { |e, *| e == :stale }, $seen.any? { |e, *| e == :hit }",
                           SPATE_LOG: log, SPATE_BOOT_BACKGROUND: "1")

      assert_match(/\A\[:stale, "local.rb", "its size differs"\]\ntrue\n/, output)
      lines = File.readlines(log).map { |line| line.split(" ", 3).last }
      assert_includes lines.join,
                      "miss #{project.path("local/lib/more.rb")} (it is not in a compile cache of the application)\n"
      assert_match(/^stale .*local.rb \(its size differs/, lines.join)
      refute_match(/^hit/, lines.join)
      wait { unlocked? }
    end

    def test_doctor_reports_compile_caches
      output, = project.spate("doctor")
      assert_match(/^boot\n  ok      no compile caches yet/, output)

      built
      assert_match(/^boot\n  ok      \d+ files? in compile caches, 0 changed since$/, project.spate("doctor").first)
      File.chmod(0o777, File.dirname(cache))
      output, = project.spate("doctor")
      assert_match(/^boot\n  odd     compile caches are not used: .* can be written by others/, output)
    end

    def test_doctor_reports_failed_builders
      built
      log = cache.sub(/compiled\z/, "log")
      File.write(log, "warning: compile caches: No space left on device\n")
      File.write(log.sub(/log\z/, "attempts"), "..")

      assert_match(/odd     the last background builder failed: .*No space left/, project.spate("doctor").first)
      assert_match(/^builder +2 starts failed; .*No space left/,
                   project.spate("boot", "status").first)
    end
  end
end
