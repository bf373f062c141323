# frozen_string_literal: true

require "test_helper"
require "spate/js"

# Memory::Surroundings changes with the node, npm and pnpm on PATH, because these affect node_modules.
class JSSurroundingsTest < Minitest::Test
  Surroundings = Spate::JS::Restore::Memory::Surroundings

  def setup = @base = File.realpath(Dir.mktmpdir)
  def teardown = FileUtils.rm_rf(@base)

  def test_another_node_or_tool_on_the_path_is_an_input
    %w[node npm pnpm].each do |name|
      Dir.mkdir(folder = "#{@base}/#{name}")
      before = surroundings(folder)

      assert_equal before, surroundings(folder)
      File.write("#{folder}/#{name}", "", perm: 0o755)

      refute_equal before, surroundings(folder), name
    end
  end

  private

  def surroundings(folder)
    env = { "PATH" => folder, "SPATE_HOME" => @base }
    Surroundings.new(env, Spate::JS::Options.new, Spate::Store.open(env: env)).to_s
  end
end
