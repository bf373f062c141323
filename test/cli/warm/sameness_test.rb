# frozen_string_literal: true

require "cli/warm/warm_case"

# What a forked command sees of its process, compared with a booted one (test/support/warm_observations.rb).
class WarmSamenessTest < WarmCase
  OBSERVATIONS = File.expand_path("../../support/warm_observations.rb", __dir__)
  # Listed in docs/warm.md.
  DOCUMENTED = ["$LOADED_FEATURES, order"].freeze

  def test_observations = compare

  def test_observations_with_a_framework_parent
    @app.write("config/initializers/obstacle.rb", "$obstacle = IO.pipe\n")
    compare
    assert_equal(["framework development"], parents.map { |parent| parent["kind"] })
  ensure
    FileUtils.rm_f(@app.path("config/initializers/obstacle.rb")) if @app
  end

  private

  def compare
    warm_up
    booted, forked = %w[0 1].map { |value| observe(value) }

    assert_includes parents.map { |parent| parent["pid"] }, forked.last
    differing = booted.first.reject { |name, value| forked.first[name] == value }.except(*DOCUMENTED)
    assert_operator booted.first.size, :>=, 150
    assert_empty(differing.map { |name, value| "#{name}: #{shorten(value, forked.first[name])}" })
    refute(forked[1].zip(observe("1")[1]).any? { |one, other| one && one == other }, "seeds of two forked commands")
  end

  def observe(warm)
    result = spate("exec", "bin/rails", "runner", OBSERVATIONS, "an argument", SPATE_WARM: warm)

    assert_equal 0, result.code, result.err
    Marshal.load(result.out.unpack1("m0")) # rubocop:disable Security/MarshalLoad
  end

  # Elements of only one of the lists.
  def shorten(booted, forked)
    one, other = [booted, forked].map { |text| text.to_s.split(", ") }
    one.size < 8 ? [booted, forked] : { booted: (one - other).first(40), forked: (other - one).first(40) }
  end
end
