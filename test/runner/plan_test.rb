# frozen_string_literal: true

require "test_helper"
%w[job counts times preloaded plan].each { |name| require_relative name }

# The programs that bin/test runs, in order.
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

  def test_long_programs_run_a_sample_of_their_tests
    path = write("many_test.rb", <<~RUBY)
      require "bare_helper"
      class ManyTest < Minitest::Test
        5.times { |number| define_method("test_\#{number}") { puts "ran \#{number}" } }
      end
    RUBY
    sampled, all, full = [{ sample: true }, {}, { sample: true, full: true }].map do |options|
      plan(processor: 2.5 * Plan::SAMPLE_SECONDS, **options).send(:minitest, "ruby", path).run(ROOT)
    end

    assert_equal [3, 2, %w[0 2 4]], [sampled.passed, sampled.left_out, sampled.output.scan(/ran (\d)/).flatten.sort]
    assert_equal [[5, 0]] * 2, [all, full].map { |job| [job.passed, job.left_out] }
  end

  def test_short_programs_run_all_of_their_tests
    assert_empty plan(processor: Plan::SAMPLE_SECONDS, sample: true).send(:sample, "test/cli_test.rb")
    assert_empty plan(processor: 99, sample: true, files: ["test/cli_test.rb"]).send(:sample, "test/cli_test.rb")
  end

  def plan(processor:, **options)
    times = Runner::Times.new(ROOT)
    times.define_singleton_method(:processor) { |_| processor }
    Plan.new(ROOT, times: times, **options)
  end
end
