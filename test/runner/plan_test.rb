# frozen_string_literal: true

require "test_helper"
%w[job counts times preloaded plan].each { |name| require_relative name }

# The programs that bin/test runs, and their order.
class RunnerPlanTest < Minitest::Test
  Plan = Runner::Plan
  ROOT = File.expand_path("../..", __dir__)

  def names(**options) = Plan.new(ROOT, **options).jobs.map(&:name)

  def test_other_system_runs_existing_tests
    assert_equal([], [*Plan::OTHER_SYSTEM_SAMPLE, *Plan::OTHER_SYSTEM_TESTS].reject do |path|
                       File.exist?("#{ROOT}/#{path}")
                     end)
    assert_match(/\Aon debian1\d\z/, names(only: [Plan::OTHER_SYSTEM]).first)
  end

  def test_the_longest_come_first
    first = "test/permission_error_test.rb"
    times = Object.new
    times.define_singleton_method(:of) { |name| name == first ? 100 : 1 }

    assert_equal first, names(only: %w[ruby], times: times).first
  end

  def test_full_tests_run_only_on_request
    assert_empty names(only: %w[ruby]).grep(%r{\Atest/full/})
    refute_empty names(only: %w[ruby], full: true).grep(%r{\Atest/full/})
  end
end
