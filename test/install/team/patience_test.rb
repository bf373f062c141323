# frozen_string_literal: true

require "test_helper"

# A build waits for a team cache while data arrives, and only for a limited time. The fake `team` reports when it last
# received data, and responds on demand.
class PatienceTest < Minitest::Test
  Lookup = Spate::Install::Extensions::Lookup
  BuildState = Spate::Install::Extensions::BuildState
  Entry = Struct.new(:seconds)
  Offer = Struct.new(:entry)

  # A fake cache that the test controls.
  class Team
    attr_writer :speaking

    def initialize
      @speaking = false
      @answers = Hash.new { |answers, key| answers[key] = Thread::Queue.new }
      @blobs = Thread::Queue.new
    end

    def answered_at = @speaking ? Process.clock_gettime(Process::CLOCK_MONOTONIC) : nil
    def answer(key, offer) = @answers[key] << offer
    def send(path) = @blobs << path

    def choose(key, *)
      yield if (answer = @answers[key].pop) == :judging
      answer = @answers[key].pop if answer == :judging
      answer.is_a?(Class) ? raise(answer) : answer
    end

    def fetch(_offer) = @blobs.pop
    def report_error(error) = error
    def close = nil
    def clean = nil
  end

  # Collects the received archives without unpacking them.
  class Backlog
    def add_fetched(*) = nil
    def remove(*) = nil
  end

  def setup
    @team = Team.new
    @results = Thread::Queue.new
    @lookup = Lookup.new(@team, Backlog.new, @results)
    @build = BuildState.new("key", "a-1")
  end

  def teardown = @lookup.stop

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # The result, if it arrives within some seconds; otherwise nil.
  def result(seconds)
    deadline = now + seconds
    sleep 0.01 while @results.empty? && now < deadline
    @results.pop(true) unless @results.empty?
  end

  # Without this test, a renamed method would only cause an error in a thread.
  def test_scripted_cache_has_methods_of_the_real_one
    scripted = Team.public_instance_methods(false) - %i[answer send speaking=]
    assert_empty scripted - Spate::RemoteCache::Client::BuildQueries.public_instance_methods(false)
  end

  def test_silent_cache_is_not_waited_for
    @lookup.ask(@build)
    assert_equal [:late, @build], result(10)
  end

  def test_responsive_cache_is_waited_for
    @lookup.ask(@build)
    @team.speaking = true
    assert_nil result(4 * Lookup::SILENCE_LIMIT)
    @team.speaking = false
    assert_equal [:late, @build], result(10)
  end

  def test_waiting_is_limited_by_the_time_of_a_response
    @lookup.ask(@build)
    @team.speaking = true
    assert_equal [:late, @build], result(Lookup::TRANSFER + 10)
  end

  def test_longer_wait_for_builds_that_take_long
    @lookup.ask(@build)
    @team.answer("key", Offer.new(Entry.new(60)))
    @team.speaking = true
    assert_nil result(Lookup::TRANSFER + 0.5)
  end

  def test_checking_a_response_is_not_silence
    @lookup.ask(@build)
    @team.answer("key", :judging)
    assert_nil result(4 * Lookup::SILENCE_LIMIT)
    @team.answer("key", Offer.new(Entry.new(1)))
    assert_equal [:late, @build], result(10)
  end

  def test_downloaded_build_is_not_built
    @lookup.ask(@build)
    @team.answer("key", Offer.new(Entry.new(1)))
    @team.send("path")
    assert_nil result(4 * Lookup::SILENCE_LIMIT)
  end

  def test_miss
    @lookup.ask(@build)
    @team.answer("key", nil)
    assert_equal [:answered, @build, nil], result(10)
  end

  # The local build has failed, so only the cache could help.
  def test_failed_build_is_answered_within_a_limit
    @lookup.ask(@build)
    assert_equal [:late, @build], result(10)
    @build.late
    @build.start(early: false)
    @build.failed(RuntimeError.new("no compiler"))
    @lookup.define_singleton_method(:sleep) { |_seconds| nil }
    @lookup.limit(@build)
    assert_equal [:answered, @build, nil], result(10)
    assert_equal "no compiler", assert_raises(RuntimeError) { @build.answered(nil) }.message
  end

  def test_any_exception_is_an_answer
    [ArgumentError, NoMemoryError].each do |error|
      build = BuildState.new(error.name, "a-1")
      @lookup.ask(build)
      @team.answer(build.key, error)
      assert_equal [:answered, build, nil], result(10)
    end
  end
end
