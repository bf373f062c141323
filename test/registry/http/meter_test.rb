# frozen_string_literal: true

require "test_helper"

# What counts is what a server has yet to send when it is waited for: a machine with much to do looks late at what came.
class MeterTest < Minitest::Test
  Meter = Spate::Registry::HTTP::Meter
  # Gives what it has, one after the other.
  Pipe = Struct.new(:pieces) do
    def read_nonblock(*) = pieces.shift
  end

  # Reads all pieces; each number stands for a wait of so many seconds.
  def read(*steps, pace: Meter::Pace.new(100, 60))
    waits = steps.grep(Numeric)
    pieces = steps.map { |step| step.is_a?(Numeric) ? :wait_readable : step }
    meter = Meter.new(Pipe.new(pieces), 1, pace)
    clock = 0
    meter.define_singleton_method(:now) { clock }
    steps.size.times { clock += waits.shift if meter.read_nonblock(1) == :wait_readable }
  end

  def test_what_was_there_when_it_was_looked_at
    read("head", 10, "all the rest")
    read("head", 10, "x" * 1000, 10, "end")
    read(0.9, "head", 0.9, "x" * 200, 0.9, "x" * 200, 0.9, "end")
  end

  def test_what_came_slowly
    assert_raises(Meter::Slow) { read("head", 1.5, "a", 1.5, "a", 1, "a") }
    assert_match(/sent 5 bytes in 10 seconds, expected 200/, assert_raises(Meter::Slow) do
      read("head", 10, "a", 1, "a")
    end.message)
    assert_match(/not at its end after 60 seconds/, assert_raises(Meter::Slow) do
      read(*(["x" * 500, 1] * 62))
    end.message)
  end
end
