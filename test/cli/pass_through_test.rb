# frozen_string_literal: true

require "cli/cli_case"
require "support/project"
require "support/tree_comparison"

class PassThroughTest < CLICase
  def command(name, *argv) = Spate::CLI::PassThrough.new(name, argv, terminal: terminal, env: {}).command

  def test_bundler_resolves_and_does_not_install
    { %w[add rack] => %w[add rack --skip-install],
      %w[add rack --skip-install] => %w[add rack --skip-install], %w[remove rack --install] => %w[remove rack],
      %w[update] => %w[lock --update], %w[update --all --patch] => %w[lock --update --patch],
      %w[update rack rake --conservative] => %w[lock --update rack rake --conservative],
      %w[update --group test] => %w[update --group test],
      %w[update --quiet] => %w[lock --update] }.each do |given, expected|
      assert_equal expected, command(*given), given
    end
  end

  def test_the_install_afterwards_is_quiet_and_of_the_same_gemfile
    { %w[update] => [], %w[update --gemfile a/Gemfile --local] => %w[--gemfile a/Gemfile],
      %w[update --quiet --gemfile=a/Gemfile] => %w[--quiet --gemfile=a/Gemfile] }.each do |(name, *argv), expected|
      through = Spate::CLI::PassThrough.new(name, argv, terminal: terminal, env: {})
      assert_equal expected, through.install_options, argv
    end
  end

  def project
    @source = GemSource.start
    @source.add("base", "1.0")
    @source.add("more", "1.0")
    Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'base'\n").tap(&:lock)
  end

  def teardown
    @source&.stop
    super
  end

  def test_add_and_remove_and_update_through_the_real_bundler
    app = project
    app.spate!("add", "more")
    assert_equal %w[base-1.0 more-1.0], app.installed

    @source.add("base", "1.1")
    app.spate!("update", "base")
    assert_includes app.installed, "base-1.1"

    app.spate!("remove", "more")
    refute_match(/more/, File.read(app.path("Gemfile.lock")))
    assert_match(/satisfied/, app.bundle("check"))
  end

  # Bundler's commands that print information, with arguments. `check`, `doctor` and `list` are Spate's own.
  ASKING = [%w[outdated], %w[list], %w[show], %w[info base], %w[licenses], %w[doctor], %w[env], %w[platform],
            %w[config], %w[check], %w[open base], %w[fund], %w[version], %w[viz], %w[lock], %w[lock --print],
            %w[cache --help], %w[plugin list], %w[console --help]].freeze

  def test_reporting_commands_of_bundler_install_no_gem
    app = project
    before = Spate::TreeComparison.snapshot(app.folder)
    ASKING.each do |command|
      output, = app.spate(*command, EDITOR: "true", BUNDLE_AUTO_INSTALL: nil)
      assert_equal before, Spate::TreeComparison.snapshot(app.folder), "#{command.join(" ")}: #{output}"
    end
    assert_empty @source.requests.map(&:path).grep(/\.gem\z/)
    @source.add("base", "1.1")
    assert_match(/base .*1\.1/, app.spate("outdated").first)
    assert_equal app.run("bundle", "outdated").last.exitstatus, app.spate("outdated").last.exitstatus
  end

  def test_options_of_bundlers_command_only
    app = project
    app.spate!("install")

    assert_match(%r{/gems/base-1\.0$}, app.spate!("list", "--paths"))
    assert_match(/^running Bundler for --paths: bundle list --paths$/, app.spate!("list", "--paths"))
    assert_match(/satisfied/, app.spate!("check", "--dry-run"))
  end

  def test_which_options_are_left_to_bundler
    { %w[list --only-group=x] => "--only-group", %w[install --no-lock] => "--no-lock", %w[doctor ssl] => "ssl",
      %w[list --json] => nil, %w[store --paths] => nil, %w[list -- --paths] => nil }.each do |(name, *argv), expected|
      command = Spate::CLI.const_get(Spate::CLI::COMMANDS.fetch(name))
      assert_equal expected.inspect, command.bundler_only_word(argv).inspect, argv
    end
  end

  def test_other_commands_are_bundlers_with_its_exit_code
    app = project
    app.spate!("install")

    assert_match(%r{/gems/base-1\.0$}, app.spate!("show", "base"))
    assert_equal 7, app.spate("exec", "ruby", "-e", "exit 7").last.exitstatus
    assert_match(/bundle.show/i, app.spate!("show", "--help"))
    assert_match(/bundle.show/i, app.spate!("help", "show"))
    assert_match(/neither Spate nor Bundler has a command "lokc"/, app.spate("help", "lokc").first)
  end

  def test_failure_of_bundler_ends_the_command
    app = project
    output, status = app.spate("add", "no-such-gem")

    assert_equal 5, status.exitstatus
    assert_match(/^error: `bundle add no-such-gem` ended with.*^  Could not find.*^hint: check the name; /m, output)
    refute_match(/gems? in/, output)
  end

  # Commands that need a Gemfile, in a folder without one.
  def test_outside_of_a_project
    missing = Spate::Gemfile::NotFound.new(folder)
    (Spate::CLI::PassThrough::COMMANDS - Spate::CLI::PassThrough::ANYWHERE - %w[exec]).each do |command|
      result = spate(command)
      told = "error: #{missing.message}\nhint: #{missing.hint}\n"
      assert_equal [2, told], [result.status, result.err.lines.last(2).join], command
    end
    %w[env config version].each do |command|
      output, status = project.spate(command, chdir: folder)
      assert_predicate status, :success?, output
    end
  end

  def test_changes_of_the_lockfile_are_reported_once
    app = project
    assert_equal <<~TEXT, app.spate!("add", "more").gsub(/^fetched .*\n/, "").gsub(/[\d.]+ (s|kB)/, "N \\1")
      Bundler resolves: bundle add more --skip-install
      wrote Gemfile: added gem "more", "~> 1.0"
      added more 1.0
      wrote Gemfile.lock
      2 gems in N s: 2 from the network (N kB), lockfile written
    TEXT
    assert_equal <<~TEXT, app.spate!("remove", "more").sub(/in [\d.]+ s/, "in N s")
      Bundler resolves: bundle remove more
      wrote Gemfile: removed gem "more", "~> 1.0"
      removed more 1.0
      wrote Gemfile.lock
      1 gem in N s: 1 in place, lockfile written
    TEXT
    unchanged = "Bundler resolves: bundle lock --update\nGemfile.lock is unchanged\n1 gem in place, nothing to do"
    assert_equal unchanged, app.spate!("update").sub(/ \(.*\)\n\z/, "")
    assert_empty app.spate!("update", "--quiet")
    @source.add("base", "1.1")
    assert_equal "Bundler resolves: bundle lock --update base\nupdated base 1.0 to 1.1\nwrote Gemfile.lock\n",
                 app.spate!("lock", "--update", "base")
    assert_equal "Bundler resolves: bundle lock\nGemfile.lock is unchanged\n", app.spate!("lock")
    assert_equal "Gemfile.lock is unchanged\n", app.spate!("lock")
    assert_equal File.read(app.path("Gemfile.lock")), app.spate!("lock", "--print")
  end

  def test_remove_installs_nothing_by_bundler
    app = project
    File.write(app.path("Gemfile"), "gem 'more'\n", mode: "a")
    app.lock
    assert_match(/^1 gem in .*: 1 from the network/, app.spate!("remove", "more"))
    assert_equal %w[base-1.0], app.installed
  end

  def test_a_lockfile_that_the_install_wrote_is_reported
    app = project
    app.spate!("install")
    File.write(app.path("Gemfile"), "source '#{@source.url}'\ngem 'base', '>= 1'\n")
    output = app.spate!("install")
    assert_match(/^Bundler resolves: /, output)
    assert_match(/^1 gem in .* s: 1 in place, lockfile written$/, output)
    assert_match(/, nothing to do /, app.spate!("install"))
  end

  def test_failures_are_errors_of_spate
    app = project
    assert_failure(app, %w[licenses], 11, /`spate licenses` needs an installed bundle\n  .*\nhint: spate install/)
    app.spate!("add", "more")
    { %w[info bsae] => [14, /no gem "bsae"\nhint: did you mean base\?/], %w[show bsae] => [14, /did you mean base\?/],
      %w[update bsae] => [14, /did you mean base\?/], %w[remove elephant] => [14, /no gem "elephant"\nhint: `spate /],
      %w[pristine bsae] => [14, /did you mean base\?/], %w[add more] => [4, /^hint: the gem is already in the Gemfile/],
      %w[lock --frob] => [2, /--frob.*\nhint: spate help lock/],
      %w[info] => [2, /"spate info".*hint: spate help info/m],
      %w[open base] => [2, /`spate open` needs an editor.*\nhint: EDITOR=vi spate open GEM/],
      %w[add] => [2, /specify gems to add.*\nhint: spate help add/] }
      .each { |words, expected| assert_failure(app, words, *expected) }
    assert_match(/no gem "bsae"\nhint: did you mean base/, app.spate("open", "bsae", EDITOR: "true").first)
  end

  def test_a_gem_that_only_another_one_requires_is_not_removed
    app = project
    @source.add("whole", "1.0", dependencies: { "more" => ">= 0" })
    app.spate!("add", "whole", "--skip-install")
    assert_failure(app, %w[remove more], 4, /^hint: not in the Gemfile; to see what requires it: spate why more$/)
    assert_match(/whole 1.0 \(>= 0\)/, app.spate!("why", "more"))
  end

  def assert_failure(app, words, code, text)
    output, status = app.spate(*words, EDITOR: nil, VISUAL: nil, BUNDLER_EDITOR: nil)
    assert_equal code, status.exitstatus, "#{words}: #{output}"
    assert_match(/^error: /, output)
    assert_match text, output
  end

  def test_a_plugins_program_on_the_path_is_a_command
    write("bin/bundler-hello", "#!/bin/sh\necho hello $1\n", mode: 0o755)
    app = project

    assert_match(/hello you/, app.spate!("hello", "you", PATH: "#{folder}/bin:#{ENV.fetch("PATH")}"))
  end
end
