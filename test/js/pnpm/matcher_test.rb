# frozen_string_literal: true

require "test_helper"

module Spate
  class PnpmMatcherTest < Minitest::Test
    def test_matches_as_pnpm_does
      assert_empty matched([])
      assert_equal %w[eslint eslint-a a], matched(["*"])
      assert_equal %w[eslint eslint-a], matched(["*eslint*"])
      assert_equal ["a"], matched(["a"])
      assert_equal ["eslint"], matched(["*eslint*", "!eslint-*"])
      assert_equal %w[eslint eslint-a], matched(["eslint*", "!a"])
      assert_equal ["a"], matched(["!eslint*"])
    end

    private

    def matched(patterns)
      matcher = JS::Pnpm::Matcher.new(patterns)
      %w[eslint eslint-a a].select { |name| matcher.match?(name) }
    end
  end
end
