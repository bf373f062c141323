# frozen_string_literal: true

require "test_helper"
require "support/zlib_suite"

module Spate
  # All of Ruby's tests of zlib that pass against the stock library also pass against Spate::Zlib.
  class ZlibSuiteTest < Minitest::Test
    # The tests of later Rubies expect ThreadError if a stream is used within its own block. Those of 3.1 expect
    # InProgressError, which Spate raises.
    CONTRADICTORY = %w[TestZlibDeflate#test_recursive_deflate TestZlibInflate#test_recursive_inflate].freeze

    def test_every_test_that_the_stock_library_passes
      suite = ZlibSuite.new
      text = File.read(suite.fetch)
      stock, = suite.run(:stock)
      ours, out = suite.run(:spate)
      passing = stock.select { |_, result| result == "." }.keys
      passing -= CONTRADICTORY if text.include?("assert_raise(ThreadError)")
      assert_operator passing.size, :>, 80
      assert_equal [], passing.reject { |name| ours[name] == "." }, out
    rescue ZlibSuite::Unavailable => e
      skip e.message
    end
  end
end
