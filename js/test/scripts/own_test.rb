# frozen_string_literal: true

require_relative "scripts_case"
require "English"
require "support/node_modules_comparison"
require "support/npm_registry"

# The scripts of a project's own packages run in the same order as with npm and pnpm, with the same files in place.
class JSScriptsOwnTest < Minitest::Test
  include JSScriptsCase

  EVENTS = %w[pnpm:devPreinstall preinstall install postinstall prepublish prepublishOnly preprepare prepare
              postprepare prepack predependencies dependencies].freeze
  LOCK = { "npm" => %w[npm install --package-lock-only --ignore-scripts],
           "pnpm" => %w[pnpm install --lockfile-only --ignore-scripts] }.freeze
  INSTALL = { "npm" => %w[npm ci], "pnpm" => %w[pnpm install --frozen-lockfile] }.freeze
  # A script that records which files of a restore exist.
  SEEN = <<~SH
    for path in one .bin/one one/built .bin/a .package-lock.json .modules.yaml .pnpm/lock.yaml \
        .pnpm-workspace-state-v1.json ../packages/b/node_modules/.bin/a; do
      [ -e "$ROOT/node_modules/$path" ] && there="$there $path"
    done
    echo $npm_package_name $npm_lifecycle_event $PWD $there >> $SAID
  SH
  # Expected differences: pnpm's folder for temporary files (as root), and the text of shims.
  OTHERWISE = %r{/\.tmp: |/z/node_modules: |/\.bin/\w+: expected executable file \w+, found executable file}

  def setup
    super
    @registry = NpmRegistry.start
    @env = @env.merge(NpmRegistry.env(@registry, home: @home))
    @registry.add("one", "1.0.0", files: { "x" => "" }, bin: { "one" => "x" },
                                  scripts: { postinstall: "sh #{write("../seen.sh", SEEN)} && touch built" })
  end

  def teardown
    @registry&.stop
    super
  end

  LOCK.each_key do |tool|
    define_method(:"test_#{tool}") { assert_same_order(tool) { project } }
    define_method(:"test_#{tool}_in_a_workspace") { assert_same_order(tool) { workspace } }
  end

  private

  def project(**more)
    own("package.json", name: "app", dependencies: { one: "1.0.0" }, allowScripts: { one: true }, **more)
    write("pnpm-workspace.yaml", "allowBuilds:\n  one: true\n")
  end

  def workspace
    project(workspaces: ["packages/*"])
    own("packages/a/package.json", name: "a", version: "1.0.0", bin: "x.js", dependencies: { z: "1.0.0" })
    own("packages/b/package.json", name: "b", version: "1.0.0", dependencies: { a: "1.0.0", one: "1.0.0" })
    own("packages/z/package.json", name: "z", version: "1.0.0")
    write("pnpm-workspace.yaml", "packages: ['packages/*']\nlinkWorkspacePackages: true\nallowBuilds:\n  one: true\n")
  end

  def own(path, **facts)
    scripts = EVENTS.to_h { |event| [event, "sh #{@base}/seen.sh"] }
    scripts["prepare"] += " && touch x.js"
    write(path, JSON.generate(**facts, scripts: scripts))
  end

  def assert_same_order(name)
    skip "no #{name} on the PATH" unless JS::Tools::Program.find(name, @env["PATH"])
    yield
    tool(*LOCK.fetch(name))
    FileUtils.cp_r(@root, before = "#{@base}/before")
    expected = trace(name) { tool(*INSTALL.fetch(name)) }
    made = Spate::NodeModulesComparison.snapshot(@root)
    File.rename(@root, "#{@base}/made")
    File.rename(before, @root)

    assert_equal expected, trace(name) { restore }
    found = Spate::NodeModulesComparison.snapshot(@root)

    assert_empty Spate::NodeModulesComparison.differences(made, found).grep_v(OTHERWISE)
  end

  # The lines that scripts wrote. pnpm runs scripts of several packages in parallel, each after its dependencies.
  def trace(name)
    @env.update("ROOT" => @root, "SAID" => "#{@base}/trace")
    yield
    lines = File.readlines(@env["SAID"], chomp: true)
    File.delete(@env["SAID"])
    name == "pnpm" ? lines.group_by { |line| line[/\w+/] }.to_a : lines
  end

  def restore
    JS.restore(root: @root, store: @store, env: @env, events: Spate::Events.new, options: JS::Options.new)
  end

  def tool(*command)
    text = IO.popen(@env, command, chdir: @root, unsetenv_others: true, err: %i[child out], &:read)

    assert_predicate $CHILD_STATUS, :success?, text
  end
end
