# frozen_string_literal: true

require "test_helper"
%w[job counts plan].each { |name| require_relative name }

# Which programs bin/test runs, and in which order.
class RunnerPlanTest < Minitest::Test
  Plan = Runner::Plan
  ROOT = File.expand_path("../..", __dir__)

  def names(**options) = Plan.new(ROOT, **options).jobs.map(&:name)

  def test_the_other_system_runs_what_is_there
    assert_equal([], Plan::OTHER_SYSTEM_TESTS.reject { |path| File.exist?("#{ROOT}/#{path}") })
    assert_match(/\Aon debian1\d\z/, names(only: [Plan::OTHER_SYSTEM]).first)
  end

  def test_long_ones_come_first_and_full_ones_only_when_asked_for
    ruby = names(only: %w[ruby])
    long, rest = ruby.partition { |name| "/#{name}".match?(Plan::LONG) }
    assert_equal ruby, long + rest
    assert_empty ruby.grep(%r{\Atest/full/})
    refute_empty names(only: %w[ruby], full: true).grep(%r{\Atest/full/})
  end
end
