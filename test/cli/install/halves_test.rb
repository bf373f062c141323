# frozen_string_literal: true

require "test_helper"

class HalvesTest < Minitest::Test
  Halves = Spate::CLI::Install::Halves

  def run_halves(gems, packages) = Halves.new.run(gems: gems, packages: packages)

  def test_both_run_at_the_same_time
    there = Thread::Queue.new
    back = Thread::Queue.new
    halves = run_halves(lambda {
      there << 1
      back.pop
    }, lambda {
      there.pop
      back << :gems
      :packages
    })
    assert_equal [:gems, :packages, []], [halves.gems, halves.packages, halves.failures]
  end

  def test_failure_of_one_half_lets_the_other_finish
    begun = Thread::Queue.new
    halves = run_halves(lambda {
      begun.pop
      sleep 0.02
      :gems
    }, lambda {
      begun << 1
      raise Spate::Error, "no"
    })
    assert_equal [:gems, nil, [%w[packages no]]],
                 [halves.gems, halves.packages, halves.failures.map { |failed| [failed.half, failed.error.message] }]
  end

  def test_both_failures_are_reported_in_order
    first = Thread::Queue.new
    halves = run_halves(lambda {
      first.pop
      raise Spate::Error, "later"
    }, lambda {
      Thread.new do
        sleep 0.05
        first << 1
      end
      raise NoMethodError, "sooner"
    })
    assert_equal %w[packages gems], halves.failures.map(&:half)
  end

  def test_interrupt_ends_both_and_waits_for_them
    cleaned = []
    error = assert_raises(Spate::Interrupted) do
      run_halves(lambda {
        sleep 0.02
        raise Spate::Interrupted, "interrupted"
      }, lambda {
        begin
          sleep 20
        ensure
          sleep 0.02
          cleaned << :packages
        end
      })
    end
    assert_equal ["interrupted", [:packages]], [error.message, cleaned]
  end

  def test_interrupt_of_the_packages_is_an_interrupt
    assert_raises(Spate::Interrupted) { run_halves(-> { :gems }, -> { raise Spate::Interrupted, "interrupted" }) }
  end
end
