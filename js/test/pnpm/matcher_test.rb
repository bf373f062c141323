# frozen_string_literal: true

require "test_helper"
require "timeout"

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

    # A regular expression gives the same result, but backtracking takes years for some patterns.
    def test_asterisks_anywhere
      random = Random.new(14)
      text = ->(letters, size) { Array.new(random.rand(size)) { letters[random.rand(letters.size)] }.join }
      3000.times do
        pattern, name = text["aab*", 7], text["aab", 9]
        expression = /\A#{pattern.split("*", -1).map { |part| Regexp.escape(part) }.join(".*")}\z/

        assert_equal expression.match?(name), JS::Pnpm::Matcher.new([pattern]).match?(name), "#{pattern} #{name}"
      end
      refute Timeout.timeout(5) { JS::Pnpm::Matcher.new(["#{"*a" * 100}b"]).match?("a" * 200) }
    end

    private

    def matched(patterns)
      matcher = JS::Pnpm::Matcher.new(patterns)
      %w[eslint eslint-a a].select { |name| matcher.match?(name) }
    end
  end
end
