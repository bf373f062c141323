# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_tools"

# JS::Tools restores with the real tools, without a network. Packages are folders of the project.
class JSToolsRealTest < Minitest::Test
  def setup
    @app = File.realpath(Dir.mktmpdir)
    FileUtils.mkdir_p("#{@app}/one")
    File.write("#{@app}/one/package.json", JSON.generate(name: "one", version: "1.0.0",
                                                         scripts: { postinstall: "touch #{@app}/ran" }))
    File.write("#{@app}/one/index.js", "module.exports = 1\n")
    manifest(one: "file:./one")
    @env = ENV.to_h.merge("HOME" => @app, "XDG_CACHE_HOME" => "#{@app}/.cache",
                          "SPATE_HOME" => "#{@app}/.spate")
  end

  def teardown
    FileUtils.rm_rf(@app)
  end

  def test_yarn = assert_restores("yarn", "--ignore-scripts")
  def test_bun = assert_restores("bun", "--ignore-scripts")
  def test_npm = assert_restores("npm", "--ignore-scripts")
  def test_pnpm = assert_restores("pnpm", "--ignore-scripts")

  # Each of yarn's linkers creates other files.
  def test_a_later_yarn
    yarn = NpmTools.pinned("@yarnpkg/cli-dist", YARN, program: "yarn")
    @env["PATH"] = "#{File.dirname(yarn)}:#{@env["PATH"]}"
    %w[node-modules pnp pnpm].each do |linker|
      FileUtils.rm_rf(Dir.glob("#{@app}/{node_modules,.pnp.*,.yarn,yarn.lock}"))
      File.write("#{@app}/yarn.lock", "")
      File.write("#{@app}/.yarnrc.yml", "nodeLinker: #{linker}\nenableGlobalCache: false\nenableTelemetry: false\n")
      assert_knows(yarn, "install", "--mode=skip-build", "YARN_ENABLE_IMMUTABLE_INSTALLS" => "0")
    end
  rescue RuntimeError => e
    skip e.message.lines.first
  end

  YARN = "4.18.1"

  private

  # Asserts that the tool is skipped if its result exists, and runs if it is missing. words: the command that creates
  # the lockfile.
  def assert_knows(*words, **variables)
    output, status = Open3.capture2e(@env.merge(variables), *words, chdir: @app)
    assert_predicate status, :success?, output

    assert_equal [true, false], Array.new(2) { restore.ran }
    refute_path_exists "#{@app}/ran", "a script of a dependency ran"
    FileUtils.rm_rf(Dir.glob("#{@app}/{node_modules,.pnp.cjs}"))

    assert restore.ran
  end

  def assert_restores(tool, *options)
    skip "no #{tool} on the PATH" unless Spate::JS::Tools::Program.find(tool, @env["PATH"])
    _, status = Open3.capture2e(@env, tool, "install", *options, chdir: @app)
    skip "#{tool} could not make a lockfile" unless status.success?
    FileUtils.rm_rf("#{@app}/node_modules")
    results = Array.new(2) { restore }

    assert_equal [true, false], results.map(&:ran)
    assert_path_exists "#{@app}/node_modules/one/package.json"
    refute_path_exists "#{@app}/ran", "a script of a dependency ran"
    assert_equal "own\n", File.read("#{@app}/own"), "the project's own scripts run once"
    FileUtils.rm_rf("#{@app}/node_modules/one")

    assert restore.ran
    assert_path_exists "#{@app}/node_modules/one/package.json"
    manifest(one: "file:./one", two: "1.0.0")

    assert_raises(Spate::JS::ToolFailed) { restore }
  end

  def manifest(**dependencies)
    text = JSON.generate(name: "app", dependencies: dependencies, scripts: { postinstall: "echo own >> own" })
    File.write("#{@app}/package.json", text)
  end

  def restore = Spate::JS::Tools.restore(Spate::JS::Project.find(@app, @env), env: @env)
end
