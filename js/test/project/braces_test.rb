# frozen_string_literal: true

require "test_helper"
require "json"
require "timeout"

# Project::Braces expands the braces in patterns of a workspace. Patterns with too many expansions are rejected.
class JSBracesTest < Minitest::Test
  JS = Spate::JS
  Braces = JS::Project::Braces

  def setup
    @root = File.realpath(Dir.mktmpdir)
  end

  def teardown
    FileUtils.rm_rf(@root)
  end

  def test_alternatives
    { "a" => ["a"], "{a,b}/c" => %w[a/c b/c], "{a,{b,c}d}" => %w[a bd a cd], "x{1,2}{y,z}" => %w[x1y x1z x2y x2z],
      "{a" => ["{a"], "{a/b,}*" => %w[a/b* *] }.each do |pattern, found|
      assert_equal found, Braces.alternatives(pattern), pattern
    end
  end

  def test_many_braces
    pattern = "#{"{a,b}" * 30}*"
    File.write("#{@root}/pnpm-workspace.yaml", "packages: [#{pattern.dump}]")
    File.write("#{@root}/package.json", JSON.generate("workspaces" => [pattern]))
    { "package.json" => -> { JS::Npm::Project.new(@root).workspaces },
      "pnpm-workspace.yaml" => -> { JS::Pnpm::Workspace::Folders.new(@root, ["!#{pattern}"]) },
      "#{@root}/package.json" => -> { JS::Project::Workspace.members(@root) } }.each do |file, look|
      error = Timeout.timeout(5) { assert_raises(JS::LockfileError, file, &look) }

      assert_match(/#{file}: the braces of the workspace's patterns expand to more than 10000 patterns/, error.message)
    end
  end

  def test_refuses_long_patterns_and_nul_bytes
    assert_raises(JS::LockfileError) { Braces.check(["{a,b}#{"a" * 5000}"], "f") }
    assert_raises(JS::LockfileError) { Braces.check(["{#{"a," * 1500}}"] * 8, "f") }
    assert_raises(JS::LockfileError) { Braces.check(["a\0b"], "f") }
    assert_equal %w[a b/*], Braces.check(%w[a b/*], "f")
  end
end
