# frozen_string_literal: true

require "test_helper"
require "timeout"

# A cache that never answers holds nobody who waits for it.
class LookupTest < Minitest::Test
  Lookup = Spate::Install::Extensions::Lookup
  Item = Struct.new(:build_key, :full_name, :checkout)
  # A team's cache whose answer is the block's.
  Team = Struct.new(:answer) do
    def choose(*) = answer.call
    def trouble(error) = error
    def close = nil
    def clean = nil
  end

  def setup
    @results = Thread::Queue.new
    @item = Item.new("key", "alpha-1.0")
  end

  def teardown
    @lookup&.stop
    super
  end

  # No time passes in it.
  def lookup(&answer)
    backlog = Object.new
    def backlog.leave(_) = nil
    @lookup = Lookup.new(Team.new(answer), backlog, @results)
    @lookup.define_singleton_method(:sleep) { |_seconds| nil }
    refute @lookup.settled?(@item)
    @lookup
  end

  def test_a_build_that_failed_is_answered_within_a_bound
    waiting = lookup { sleep }
    assert_equal [:late, @item], @results.pop
    waiting.late(@item)

    assert waiting.pending?(@item)
    assert_equal [:answered, @item, nil], Timeout.timeout(10) { @results.pop }
    waiting.answered(@item)
    refute waiting.pending?(@item)
  end

  def test_whatever_is_raised_is_an_answer
    [ArgumentError, NoMemoryError].each do |error|
      lookup { raise error }
      told = Array.new(2) { Timeout.timeout(10) { @results.pop } }
      assert_includes told, [:answered, @item, nil], error
      @lookup.stop
    end
  end
end
