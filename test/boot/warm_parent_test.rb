# frozen_string_literal: true

require "test_helper"
require "spate/boot/entry"

module Spate
  # Requests to a warm parent. test/cli/warm runs whole parents.
  class BootWarmParentTest < Minitest::Test
    PARTS = { magic: "SPATEW2", ignored: "2", blocked: "18446744073709551615", others: "3,9,", count: "2",
              words: ["rails", ""], entry_count: "1", entries: ["A=b=c"] }.freeze

    def parse(**changed)
      Boot.load_native
      Boot::WarmParent::Request.parse(PARTS.merge(changed).values.flatten.map { |text| "#{text}\0" }.join)
    end

    def test_request
      assert_equal [["rails", ""], { "A" => "b=c" }, 2, (1 << 64) - 1, [3, 9]], parse.to_a
    end

    def test_malformed_requests
      huge = (1 << 70).to_s
      %i[ignored blocked count entry_count].product([huge, "-1", "", "x", "1.5"]).each do |name, text|
        assert_nil parse(name => text), "#{name}: #{text}"
      end
      [huge, "x", "-1", "32768", "99999999999"].each { |text| assert_nil parse(others: "3,#{text},"), text }
      [{ magic: "SPATEW1" }, { words: [] }, { count: "0", words: [] }, { entries: [] }].each do |changed|
        assert_nil parse(**changed), changed
      end
    end
  end
end
