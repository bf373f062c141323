# frozen_string_literal: true

require "test_helper"

module Spate
  class StampTest < Minitest::Test
    def test_it_differs_with_size_time_and_file
      path = write("one", "1")
      other = write("two", "1")
      time = Time.at(1_000_000_000)
      File.utime(time, time, path, other)
      stamp = Util.stamp(path)

      refute_equal stamp, Util.stamp(other)
      File.utime(time, time + 1, path)
      refute_equal stamp, Util.stamp(path)
      File.write(path, "11")
      File.utime(time, time, path)
      refute_equal stamp, Util.stamp(path)
      assert_equal "-", Util.stamp("#{folder}/none")
    end
  end
end
