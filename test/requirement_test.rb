# frozen_string_literal: true

require "test_helper"
require "spate/planner"

# GemVersion and Requirement must have the same results as Gem::Version and Gem::Requirement.
class RequirementTest < Minitest::Test
  VERSIONS = %w[0 1 1.0 1.0.0 1.0.1 1.1 1.2.3 1.9 1.10 2 2.0.a 2.0.0.rc1 2.0.0.rc2 2.0.rc10 3.1.2 3.1.0.dev 3.3.22
                1.0.a.1 1.0.b2 4.0.0.beta.1 0.0.0.dev 1.0-x 1.2.3-java 10.0 1.a 1.0.a.0].freeze
  OPERATORS = %w[= != > < >= <= ~>].freeze

  def test_versions_compare_as_in_rubygems
    VERSIONS.product(VERSIONS) do |left, right|
      expected = Gem::Version.new(left) <=> Gem::Version.new(right)
      assert_equal expected, Spate::GemVersion.new(left) <=> Spate::GemVersion.new(right), "#{left} <=> #{right}"
    end
  end

  def test_requirements_hold_as_in_rubygems
    OPERATORS.product(VERSIONS, VERSIONS) do |operator, bound, version|
      text = "#{operator} #{bound}"
      expected = Gem::Requirement.new(text).satisfied_by?(Gem::Version.new(version))
      assert_equal expected, Spate::Requirement.parse(text).satisfied_by?(version), "#{version} #{text}"
    end
  end

  def test_forms
    [">= 2.7, < 4", ">= 2.7&< 4", [">= 2.7", "< 4"]].each do |text|
      assert Spate::Requirement.parse(text).satisfied_by?("3.1"), text
      refute Spate::Requirement.parse(text).satisfied_by?("4"), text
    end
    [nil, "", []].each { |text| assert Spate::Requirement.parse(text).satisfied_by?("0"), text.inspect }
    assert Spate::Requirement.parse("1.0").satisfied_by?("1")
  end

  def test_invalid_requirements_are_refused
    assert_raises(ArgumentError) { Spate::Requirement.parse(">= one") }
    assert_raises(ArgumentError) { Spate::Requirement.parse(">> 1") }
    assert_raises(ArgumentError) { Spate::GemVersion.new("1..2") }
  end
end
