# frozen_string_literal: true

require_relative "tools_case"

class JSToolsMemoryTest < Minitest::Test
  include JSToolsCase

  YARN = "mkdir -p node_modules/one node_modules/@a/b && echo '{}' > node_modules/.yarn-integrity"
  LOCK = "# yarn lockfile v1\n"

  def setup
    super
    program("yarn", YARN)
    @project = project("yarn.lock", LOCK, package: '{"workspaces":["packages/*"]}')
    write("packages/first/package.json", "{}")
    age
  end

  def test_an_unchanged_project_starts_no_tool
    assert restore(@project).ran

    refute restore(@project).ran
    assert_equal 1, calls.size
  end

  def test_a_changed_input_starts_the_tool
    changes = { "the lockfile" => -> { write("yarn.lock", "#{LOCK}x\n") },
                "package.json" => -> { write("package.json", '{"workspaces":["packages/*"], "x":1}') },
                "a package.json of the workspace" => -> { write("packages/first/package.json", "{ }") },
                "another package of the workspace" => -> { write("packages/second/package.json", "{}") },
                "a setting" => -> { write(".yarnrc", "ignore-optional true\n") },
                "a setting of the user" => -> { File.write("#{@home}/.npmrc", "x=1\n") },
                "the tool's state" => -> { write("node_modules/.yarn-integrity", "{} ") },
                "a package" => -> { FileUtils.rm_rf("#{app}/node_modules/one") },
                "a package in a scope" => -> { FileUtils.rm_rf("#{app}/node_modules/@a/b") },
                "all packages" => -> { FileUtils.rm_rf("#{app}/node_modules") },
                "a variable" => -> { @env["npm_config_registry"] = "http://registry.test/" } }
    changes.each do |what, change|
      restore(@project)
      change.call

      assert restore(@project).ran, what
    end
  end

  def test_an_edit_while_the_tool_runs_starts_it_again
    { "yarn.lock" => "#{LOCK}x\n", "package.json" => "{}", ".yarnrc" => "x true\n",
      "packages/second/package.json" => "{}" }.each do |path, text|
      program("yarn", "#{YARN}\nmkdir -p packages/second; echo '#{text}' > #{path}")

      assert restore(@project).ran, path
      program("yarn", YARN)

      assert restore(@project).ran, path
      refute restore(@project).ran, path
      write("package.json", '{"workspaces":["packages/*"]}')
      FileUtils.rm_rf("#{app}/node_modules")
    end
  end

  def test_changed_mtime_starts_no_tool
    restore(@project)
    File.utime(Time.at(1), Time.at(1), "#{app}/yarn.lock")
    write("package.json", File.read("#{app}/package.json"))

    refute restore(@project).ran
  end

  def test_irrelevant_changes_start_no_tool
    restore(@project)
    @env["EDITOR"] = "ed"
    write("index.js", "")

    refute restore(@project).ran
  end

  def test_options_are_inputs
    restore(@project)

    assert restore(@project, options: Spate::JS::Options.new(omit: ["dev"])).ran
    assert_match(/--production/, calls.last)
  end

  def test_tool_is_started_each_time_without_its_state
    program("yarn", "mkdir -p node_modules")

    assert_equal [true, true], Array.new(2) { restore(@project).ran }
  end

  def test_damaged_record_is_ignored
    restore(@project)
    File.write(Dir.glob("#{@home}/.cache/spate/store/*/js/*").fetch(0), "x" * 100)

    assert restore(@project).ran
  end

  def test_spate_writes_nothing_into_node_modules
    restore(@project)

    assert_equal %w[.yarn-integrity @a one], Dir.children("#{app}/node_modules").sort
    assert Spate::JS::Tools.left_in_place?(app, @env)
  end

  def test_plug_n_play_record_is_beside_the_state_of_yarn
    program("yarn", "mkdir -p .yarn && touch .pnp.cjs .yarn/install-state.gz")
    project = project("yarn.lock", "__metadata:\n  version: 8\n", package: "{}")

    assert_equal [true, false], Array.new(2) { restore(project).ran }
    File.write("#{app}/.pnp.cjs", "other")

    assert restore(project).ran
  end

  private

  # Waits until files written before can no longer change without a new mtime.
  def age = sleep(0.03)
end
