# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

# Garbage collection is off until there is something to collect. In a child process, because this one has allocated a
# lot.
class GarbageTest < Minitest::Test
  def off_after?(work)
    program = "require 'spate'; GC.disable; #{work}; Spate::Install::Garbage.look; print GC.disable"
    output, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}",
                                     "-e", program)
    assert_predicate status, :success?, output
    output == "true"
  end

  def test_a_small_run_collects_nothing
    assert off_after?("1000.times { Object.new }")
  end

  def test_many_objects_turn_it_on
    refute off_after?("500_000.times { Object.new }")
  end

  def test_many_bytes_turn_it_on
    refute off_after?("40.times { 'x' * (1 << 20) }")
  end
end
