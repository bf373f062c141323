# frozen_string_literal: true

require "scripts/scripts_case"
require "open3"
require "support/npm_registry"
require "support/pnpm_majors"

# After npm or pnpm ran scripts of packages, `spate js check` distinguishes the scripts' changes from edits.
class JSCheckToolScriptsTest < Minitest::Test
  include JSScriptsCase

  def setup
    super
    @registry = NpmRegistry.start
    @env = @env.merge(NpmRegistry.env(@registry, home: @home))
    scripts = { install: "echo more >> data && echo > made && rm gone" }
    @registry.add("one", "1.0.0", files: { "data" => "x\n", "gone" => "" }, scripts: scripts)
    @registry.add("two", "1.0.0", files: { "data" => "y\n" })
    manifest(dependencies: { "one" => "1.0.0", "two" => "1.0.0" })
  end

  def teardown
    @registry&.stop
    super
  end

  def run!(*words)
    output, status = Open3.capture2e(@env, *words, chdir: @root, unsetenv_others: true)
    assert_predicate status, :success?, output
  end

  # Restores with Spate, which fills the store, and then installs with npm. major: of npm; nil for the npm on PATH.
  def npm(major = nil)
    path = NpmTools.pinned("npm", major) if major
    @env["PATH"] = [*(File.dirname(path) if path), @env["PATH"]].join(":")
    run!("npm", "install", "--package-lock-only", "--ignore-scripts")
    restore
    run!("npm", "ci")
  end

  def restore
    JS.restore(root: @root, store: Spate::Store.open(env: @env), env: @env, events: Spate::Events.new,
               options: JS::Options.new)
  end

  def check
    found = JS.check(root: @root, store: Spate::Store.open(env: @env), env: @env)
    [found.differences.map { |each| [each.kind, each.path.delete_prefix("node_modules/")] },
     found.scripted, found.made.map { |path| path.delete_prefix("node_modules/") }]
  end

  MADE = [%w[one@1.0.0], %w[one/data one/gone]].freeze
  NOTHING = [[], []].freeze

  def test_npm_runs_all_that_no_list_denies
    npm

    assert_equal [[], *MADE], check
    write("node_modules/two/data", "edited")
    File.unlink("#{@root}/node_modules/one/package.json")

    assert_equal [[[:missing, "one/package.json"], [:changed, "two/data"]], *MADE], check
  end

  # A change that no script can have made is reported as an edit.
  def test_scripts_that_npm_does_not_run
    { "a list" => -> { manifest(dependencies: { "one" => "1.0.0", "two" => "1.0.0" }, allowScripts: { one: false }) },
      "a setting" => -> { write(".npmrc", "ignore-scripts=true\n") } }.each do |name, denying|
      denying.call
      npm

      assert_equal [[], *NOTHING], check, name
      write("node_modules/one/data", "edited")

      assert_equal [[[:changed, "one/data"]], *NOTHING], check, name
    end
  end

  # Spate ran no scripts here, so every difference is an edit.
  def test_after_a_restore_no_difference_is_attributed_to_scripts
    npm
    restore

    assert_equal [[], *NOTHING], check
    write("node_modules/one/data", "edited")

    assert_equal [[[:changed, "one/data"]], *NOTHING], check
  end

  def test_pnpm_runs_the_scripts_that_its_list_names
    PnpmMajors.each do |major, path|
      @env["PATH"] = path
      FileUtils.rm_rf(["#{@root}/node_modules", "#{@root}/pnpm-lock.yaml"])
      write("pnpm-workspace.yaml", "allowBuilds:\n  one: true\nminimumReleaseAge: 0\n")
      run!("pnpm", "install", "--lockfile-only", "--ignore-scripts")
      restore
      FileUtils.rm_rf("#{@root}/node_modules")
      run!("pnpm", "install", "--frozen-lockfile")
      differences, scripted, made = check

      # As root, pnpm creates a folder for temporary files.
      assert_equal [[], %w[one@1.0.0], %w[data gone]],
                   [differences, scripted, made.map { |at| at.delete_prefix(".pnpm/one@1.0.0/node_modules/one/") } -
                                           %w[node_modules]], "pnpm #{major}"
    end
  end
end
