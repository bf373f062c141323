# frozen_string_literal: true

require "test_helper"

# The transitions between states of a build.
class BuildStateTest < Minitest::Test
  BuildState = Spate::Install::Extensions::BuildState
  ENTRY = Object.new
  FAILED = Spate::Build::BuildError.new("a-1", command: "make", reason: nil, log: "/log", hint: nil, details: [])

  def build(entry: nil) = @build ||= BuildState.new("key", "a-1", entry: entry)

  def asked
    build.ask
    build
  end

  def started(early: false)
    asked.late
    build.start(early: early)
    build
  end

  def test_stored_build_is_ready
    assert_equal [:found, true], [build(entry: ENTRY).state, build.ready?]
    refute_predicate build, :shared?
  end

  def test_waits_for_the_cache_until_it_is_late
    refute_predicate asked, :ready?
    build.late
    assert_equal [:late, true], [build.state, build.ready?]
  end

  def test_hit_and_miss
    asked.answered(ENTRY)
    assert_equal [:found, true], [build.state, build.shared?]
    @build = nil
    asked.answered(nil)
    assert_equal [:needed, true, true], [build.state, build.ready?, build.asked?]
  end

  def test_hit_of_a_running_build_is_used_when_it_has_ended
    started.answered(ENTRY)
    assert_equal :building, build.state
    build.failed(FAILED)
    assert_equal [:found, ENTRY], [build.state, build.entry]
  end

  def test_hit_after_the_build_is_not_used
    started.built
    build.answered(ENTRY)
    assert_equal [:built, nil, false], [build.state, build.entry, build.shared?]
  end

  def test_failed_build_waits_for_an_answer
    started.failed(FAILED)
    assert_equal [:failed, false], [build.state, build.ready?]
    build.answered(ENTRY)
    assert_equal :found, build.state
  end

  def test_failed_build_without_an_entry
    started.failed(FAILED)
    assert_same FAILED, assert_raises(Spate::Build::BuildError) { build.answered(nil) }
    @build = nil
    build.start(early: false)
    assert_raises(Spate::Build::BuildError) { build.failed(FAILED) }
  end

  def test_early_build_is_repeated_unless_it_was_interrupted
    started(early: true).failed(FAILED)
    assert_equal [:needed, true], [build.state, build.started?]
    @build = nil
    build.start(early: true)
    assert_raises(Spate::Interrupted) { build.failed(Spate::Interrupted.new("interrupted")) }
  end

  def test_damaged_entry_is_not_used_again
    asked.answered(ENTRY)
    build.start(early: false)
    assert_nil build.entry
    assert_raises(Spate::Build::BuildError) { build.failed(FAILED) }
  end
end
