# frozen_string_literal: true

require "test_helper"
require "timeout"

module Spate
  class ScheduleTest < Minitest::Test
    def setup
      super
      @schedule = Build::Schedule.new # with one thread
    end

    attr_reader :schedule

    def taken(count) = Array.new(count) { schedule.take }

    def test_the_longest_comes_first
      { "short" => 1, "long" => 90, "middle" => 10 }.each { |name, weight| schedule.add(name, weight: weight) }

      assert_equal %w[long middle short], taken(3)
    end

    def test_short_build_that_a_long_one_needs_comes_first
      schedule.add("middle", weight: 10)
      schedule.add("tool", weight: 1)
      schedule.add("heavy", weight: 50, needs: ["tool"])
      first = schedule.take
      schedule.placed("tool")

      assert_equal "tool", first
      assert_equal %w[heavy middle], taken(2)
    end

    def test_a_build_waits_for_what_it_needs
      schedule.add("native", weight: 1, needs: %w[pure other])
      schedule.placed("pure")
      thread = Thread.new { schedule.take }
      thread.join(0.05)

      assert_predicate thread, :alive?
      schedule.placed("other")
      assert_equal "native", Timeout.timeout(5) { thread.value }
    end

    def test_stop_ends_waiting_threads_at_once
      schedule.add("never", weight: 1, needs: ["missing"])
      takers = Array.new(2) { Thread.new { schedule.take } }
      schedule.add("one", weight: 1, payload: :payload)
      takers.first.join(0.05)
      schedule.stop

      assert_equal [nil, :payload], Timeout.timeout(5) { takers.map(&:value) }.sort_by(&:to_s)
    end

    def test_circular_needs_do_not_hang
      schedule.add("a", weight: 1, needs: ["b"])
      schedule.add("b", weight: 1, needs: ["a"])
      schedule.add("c", weight: 1)

      assert_equal "c", schedule.take
    end
  end
end
