# frozen_string_literal: true

require_relative "../tools_case"

# Tools::Memory compares a project's inputs before it skips the tool. In each test the tool runs, is skipped, and runs
# again after a change.
class JSToolsSourcesTest < Minitest::Test
  include JSToolsCase

  YARN = "mkdir -p node_modules && echo '{}' > node_modules/.yarn-integrity"
  LOCK = "# yarn lockfile v1\n"

  def setup
    super
    program("yarn", YARN)
    program("bun", %w[one .bun/two@1/node_modules/two].map { |path| bun_makes("node_modules/#{path}") }.join("\n"))
    program("node")
  end

  def test_changed_node_or_tool
    @project = project("yarn.lock", LOCK)

    assert_runs("node") { program("node", "exit 0") }
    assert_runs("yarn") { program("yarn", "#{YARN}; true") }
    assert_runs("a yarn that comes first on PATH") do
      FileUtils.cp("#{@bin}/yarn", File.join(FileUtils.mkdir("#{@root}/first").first, "yarn"))
      @env["PATH"] = "#{@root}/first:#{@env["PATH"]}"
    end
    assert_runs("what nodes are chosen by") { write("../.tool-versions", "nodejs 22.0.0\n") }
    assert_runs("a variable of a version manager") { @env["NODENV_VERSION"] = "22" }
  end

  def test_changed_variables_in_settings
    @env["WHAT"] = "dev"
    write(".npmrc", "omit=${WHAT}\n")
    @project = project("yarn.lock", LOCK)

    assert_runs("its value") { @env["WHAT"] = "optional" }
  end

  def test_settings_outside_the_project
    @project = project("yarn.lock", LOCK)

    %w[.yarnrc .npmrc].each do |name|
      assert_runs("#{name} of the folder above") { write("../#{name}", "x true\n") }
      assert_runs("#{name} of the user") { File.write("#{@home}/#{name}", "x true\n") }
    end
  end

  def test_npms_global_settings
    @env["npm_config_globalconfig"] = "#{@root}/global"
    @project = project("yarn.lock", LOCK)

    assert_runs("the file that a variable names") { File.write("#{@root}/global", "omit=dev\n") }
  end

  def test_changed_folders_used_as_packages
    write("lib/src/index.js", "1")
    write("../other lib/package.json", "{}")
    package = '{"dependencies":{"lib":"file:./lib","other":"../other lib"}}'
    @project = project("yarn.lock", LOCK, package: package)

    assert_runs("a file in it") { write("lib/src/index.js", "2") }
    assert_runs("another file in it") { write("lib/src/more.js", "2") }
    assert_runs("one outside of the project") { write("../other lib/package.json", "{ }") }
  end

  def test_changed_package_json_of_linked_packages
    write("lib/index.js", "1")
    @project = project("yarn.lock", "\"lib@link:./lib\":\n  version \"0.0.0\"\n")

    restore(@project)
    write("lib/index.js", "2")

    refute restore(@project).ran
    assert_runs("package.json") { write("lib/package.json", "{}") }
  end

  def test_changed_patches
    write("patches/x.patch", "one")
    write("patches/y.patch", "one")
    @project = project("bun.lock", "{}", package: '{"patchedDependencies":{"x@1.0.0":"patches/x.patch"}}')

    assert_runs("of bun") { write("patches/x.patch", "two") }
    write("package.json", "{}")
    write("bun.lock", "\"x@patch:x@npm%3A1.0.0#~/patches/y.patch::version=1.0.0\":")

    assert_runs("of yarn") { write("patches/y.patch", "two") }
  end

  def test_missing_workspace_members
    write("nested/one/package.json", "{}")
    @project = project("bun.lock", "{}", package: '{"workspaces":["packages/*", "nested/**", "!nested/one/no"]}')

    assert_runs("the first below a folder that is new") { write("packages/first/package.json", "{}") }
    assert_runs("deep") { write("nested/one/two/package.json", "{}") }
  end

  # Patterns of other settings, in the same file as the workspace's, do not match files of the project.
  def test_new_files_beside_settings_with_patterns
    program("pnpm", "mkdir -p node_modules; echo {} > node_modules/.modules.yaml")
    write("pnpm-workspace.yaml", "packages: [libs/*]\npublicHoistPattern: ['*eslint*', '*']\n")
    @project = project("pnpm-lock.yaml")
    restore(@project)
    write("notes.md")

    refute restore(@project).ran
    assert_runs("a member") { write("libs/one/package.json", "{}") }
  end

  def test_a_package_missing_in_node_modules
    @project = project("bun.lock", "{}")

    %w[one/package.json .bun/two@1 .bun/two@1/node_modules/two/package.json].each do |path|
      assert_runs(path) { FileUtils.rm_r("#{app}/node_modules/#{path}") }
    end
  end

  def test_members_of_deno
    program("deno", "exit 0")
    write("deno.json", '{"workspace":["./a", "all/*"], "importMap":"./map.json"}')
    write("a/deno.json", "{}")
    @project = project("deno.lock", "{}")

    assert_runs("its own file") { write("a/deno.json", '{"imports":{}}') }
    assert_runs("a member that a pattern names") { write("all/one/deno.json", "{}") }
    write("map.json", "{}")

    assert_runs("a file that it names") { write("map.json", "{ }") }
  end

  # A regular expression that backtracks would not finish on these lines.
  def test_long_tokens_are_read_quickly
    @project = project("yarn.lock", "#{LOCK}#{"a/" * 1_000_000}\n#{"\"" * 100_001}\n")
    write(".yarnrc", "a" * 2_000_000)
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    restore(@project)

    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 10
  end

  private

  def bun_makes(path) = "mkdir -p #{path}; echo {} > #{path}/package.json"

  def assert_runs(what)
    sleep 0.03
    restore(@project)

    refute restore(@project).ran, "#{what}: nothing to do"
    yield

    assert restore(@project).ran, what
  end
end
