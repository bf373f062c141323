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
      %w[update --quiet] => %w[update --quiet] }.each do |given, expected|
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

  # Bundler's commands that report, with what they need; Spate's own are `check`, `doctor` and `list`.
  ASKING = [%w[outdated], %w[list], %w[show], %w[info base], %w[licenses], %w[doctor], %w[env], %w[platform],
            %w[config], %w[check], %w[open base], %w[fund], %w[version], %w[viz], %w[lock], %w[lock --print],
            %w[cache --help], %w[plugin list], %w[console --help]].freeze

  def test_who_only_asks_gets_an_answer_and_no_gem
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

  def test_options_that_only_bundlers_command_has
    app = project
    app.spate!("install")

    assert_match(%r{/gems/base-1\.0$}, app.spate!("list", "--paths"))
    assert_match(/^--paths is left to Bundler: bundle list --paths$/, app.spate!("list", "--paths"))
    assert_match(/satisfied/, app.spate!("check", "--dry-run"))
  end

  def test_which_options_are_left_to_bundler
    { %w[list --only-group=x] => "--only-group", %w[install --no-lock] => "--no-lock", %w[doctor ssl] => "ssl",
      %w[list --json] => nil, %w[store --paths] => nil, %w[list -- --paths] => nil }.each do |(name, *argv), expected|
      assert_equal expected.inspect, Spate::CLI::Command::BundlerOptions.left(name, argv).inspect, argv
    end
  end

  def test_other_commands_are_bundlers_with_its_exit_code
    app = project
    app.spate!("install")

    assert_match(%r{/gems/base-1\.0$}, app.spate!("show", "base"))
    assert_equal 7, app.spate("exec", "ruby", "-e", "exit 7").last.exitstatus
    assert_match(/bundle.add/i, app.spate!("add", "--help"))
    assert_match(/bundle.lock/i, app.spate!("help", "lock"))
    assert_match(/neither Spate nor Bundler has a command "lokc"/, app.spate("help", "lokc").first)
  end

  def test_a_failure_of_bundler_ends_it
    app = project
    output, status = app.spate("add", "no-such-gem")

    refute_predicate status, :success?
    refute_match(/gems? in/, output)
  end

  def test_a_plugins_program_on_the_path_is_a_command
    write("bin/bundler-hello", "#!/bin/sh\necho hello $1\n", mode: 0o755)
    app = project

    assert_match(/hello you/, app.spate!("hello", "you", PATH: "#{folder}/bin:#{ENV.fetch("PATH")}"))
  end
end
