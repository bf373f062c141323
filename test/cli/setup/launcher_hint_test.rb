# frozen_string_literal: true

require "cli/cli_case"
require "support/project"

# An install prints a hint to run `spate setup`, once per user, if a user sees it and there is no launcher yet.
class LauncherHintTest < CLICase
  HINT = /^hint: `spate setup` installs a launcher in \S+ that starts every command faster$/

  def setup
    super
    @source = GemSource.start
    @source.add("base", "1.0")
  end

  def teardown
    @source.stop
    super
  end

  # The output of an install of a new project. live: whether stderr is a terminal.
  def install(name, *options, live: true, **env)
    app = Spate::TestProject.new(File.join(folder, name), "source '#{@source.url}'\ngem 'base'\n")
    app.lock
    screen = live ? Screen.new : StringIO.new
    env = app.env.merge("HOME" => folder, "PATH" => ENV.fetch("PATH"), "TERM" => "xterm", "CI" => nil,
                        "BUNDLE_APP_CONFIG" => nil, **env.transform_keys(&:to_s))
    result = spate("install", *options, env: env, err: screen, dir: app.folder)
    assert_equal 0, result.status, screen.string
    screen.string
  end

  def test_shown_once_per_user
    assert_match HINT, install("one")
    refute_match(/launcher/, install("two"))
  end

  def test_not_shown_in_ci_or_for_quiet_and_json_output
    refute_match(/launcher/, install("pipe", live: false))
    refute_match(/launcher/, install("ci", CI: "true"))
    refute_match(/launcher/, install("quiet", "--quiet"))
    refute_match(/launcher/, install("json", "--json"))
    assert_match HINT, install("seen")
  end

  def test_not_shown_with_a_launcher_or_without_a_place_for_one
    result = spate("setup", "--dir", File.join(folder, "bin"))
    assert_equal 0, result.status, result.err
    refute_match(/launcher/, install("set_up", PATH: "#{folder}/bin:#{ENV.fetch("PATH")}"))
    write(".local/bin/spate", "#!/bin/sh\n", mode: 0o755)
    write("bin/spate", "#!/bin/sh\n", mode: 0o755)
    refute_match(/launcher/, install("taken", PATH: "#{folder}/bin:#{ENV.fetch("PATH")}"))
  end

  def test_not_shown_where_nothing_was_installed
    install("first", "--quiet")
    app = File.join(folder, "first")
    screen = Screen.new
    env = { "BUNDLE_PATH" => "vendor/bundle", "SPATE_HOME" => "#{folder}/home/spate", "TERM" => "xterm" }
    assert_equal 0, spate("install", env: env, err: screen, dir: app).status
    refute_match(/launcher/, screen.string)
  end
end
