# frozen_string_literal: true

require "test_helper"
require "spate/resolve/child/resolver"

# The comparison of versions as texts must have the same result as RubyGems'.
class VersionOrderTest < Minitest::Test
  # A Gem::Version with VersionOrder, which the resolver's process prepends to Gem::Version.
  class Ordered < Gem::Version
    prepend Spate::Resolve::Child::VersionOrder
  end

  PARTS = %w[0 1 2 9 10 00 a b rc pre 255 256 65536 99999999999999999999].freeze

  def test_order_is_that_of_rubygems
    random = Random.new(Spate.test_seed)
    texts = Array.new(400) { ["1", *Array.new(random.rand(4)) { PARTS.sample(random: random) }].join(".") }
    texts += ["0", "0.0", "00.1", "0.1", "0.0.1", "1", "1.0", "1.0.0", "1.a", "1.0.a", "1.0.0.a.0", "1.a.1", "1.a.0.1",
              "1.1#{"0" * 300}", "1.2#{"0" * 300}"]
    3000.times do
      one, other = texts.sample(2, random: random)
      expected = Gem::Version.new(one) <=> Gem::Version.new(other)
      assert_equal expected, Ordered.new(one) <=> Ordered.new(other), [one, other]
      assert_equal Ordered.new(one).hash, Ordered.new(other).hash, [one, other] if expected.zero?
    end
  end

  def test_letters_after_a_zero
    %w[1.0.a0b 1.0.a 1.a.0.b 1.a 1.0.0.pre0a 1.0.0.pre].permutation(2) do |one, other|
      expected = Gem::Version.new(one) <=> Gem::Version.new(other)
      assert_equal expected, Ordered.new(one) <=> Ordered.new(other), [one, other]
    end
  end

  def test_other_objects
    assert_nil Ordered.new("1") <=> Object.new
    assert_operator Ordered.new("1.10"), :>, "1.9"
  end
end
