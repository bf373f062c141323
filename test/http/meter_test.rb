# frozen_string_literal: true

require "test_helper"

# Only time in which the server has not sent data counts as waiting. A busy machine may read received data late.
class MeterTest < Minitest::Test
  Meter = Spate::HTTP::Meter
  # Returns its pieces in order.
  Pipe = Struct.new(:pieces) do
    def read_nonblock(*) = pieces.shift
  end

  # Reads all pieces. A number among them is a wait in seconds.
  def read(*steps, pace: Meter::Pace.new(100, 60))
    waits = steps.grep(Numeric)
    pieces = steps.map { |step| step.is_a?(Numeric) ? :wait_readable : step }
    meter = Meter.new(Pipe.new(pieces), 1, pace)
    clock = 0
    Spate::Util.stub(:now, -> { clock }) do
      steps.size.times { clock += waits.shift if meter.read_nonblock(1) == :wait_readable }
    end
  end

  def test_data_that_had_already_arrived
    read("head", 10, "all the rest")
    read("head", 10, "x" * 1000, 10, "end")
    read(0.9, "head", 0.9, "x" * 200, 0.9, "x" * 200, 0.9, "end")
  end

  def test_data_that_arrives_slowly
    assert_raises(Meter::Slow) { read("head", 1.5, "a", 1.5, "a", 1, "a") }
    assert_match(/sent 5 bytes in 10 seconds, expected 200/, assert_raises(Meter::Slow) do
      read("head", 10, "a", 1, "a")
    end.message)
    assert_match(/not complete after 60 seconds/, assert_raises(Meter::Slow) do
      read(*(["x" * 500, 1] * 62))
    end.message)
  end
end
