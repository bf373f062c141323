# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_registry"
require "support/npm_tools"

# NpmRegistry, the registry for tests, works with the real npm and pnpm.
class NpmRegistryTest < Minitest::Test
  def setup
    @folder = Dir.mktmpdir("npm-registry-")
    @registry = NpmRegistry.start(path: "/npm/")
    @registry.add("@a/b", "1.2.0", files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755] }, bin: { "b" => "cli.js" })
    @registry.add("hello", "1.0.0", files: { "index.js" => "module.exports = 1" }, dependencies: { "@a/b" => "^1.0.0" })
    File.write(File.join(@folder, "package.json"), JSON.generate("dependencies" => { "hello" => "1.0.0" }))
  end

  def teardown
    @registry.stop
    FileUtils.rm_rf(@folder)
  end

  def test_npm_resolves_and_installs_from_it
    tool("npm", "install")
    lock = JSON.parse(File.read(File.join(@folder, "package-lock.json")))

    assert_equal @registry.resolved("@a/b", "1.2.0"), lock["packages"]["node_modules/@a/b"]["resolved"]
    assert_equal @registry.integrity("hello", "1.0.0"), lock["packages"]["node_modules/hello"]["integrity"]
    assert_equal "../@a/b/cli.js", File.readlink(File.join(@folder, "node_modules/.bin/b"))

    FileUtils.rm_rf(File.join(@folder, "node_modules"))
    tool("npm", "ci")

    assert_equal "module.exports = 1", File.read(File.join(@folder, "node_modules/hello/index.js"))
  end

  def test_pnpm_resolves_and_installs_from_it
    tool("pnpm", "install", "--no-frozen-lockfile")
    FileUtils.rm_rf(File.join(@folder, "node_modules"))
    tool("pnpm", "install", "--frozen-lockfile")

    assert_equal "module.exports = 1", File.read(File.join(@folder, "node_modules/hello/index.js"))
    assert_includes @registry.requests.map(&:path), "/npm/hello/-/hello-1.0.0.tgz"
  end

  private

  def tool(name, *arguments)
    skip "#{name} is not here" unless ENV["PATH"].split(":").any? { |folder| File.executable?(File.join(folder, name)) }

    env = NpmRegistry.env(@registry, home: File.join(@folder, "home"))
    output, status = Open3.capture2e(env, name, *arguments, chdir: @folder)

    assert_predicate status, :success?, output
  end
end
