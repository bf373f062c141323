# frozen_string_literal: true

require "test_helper"
require "minitest/mock"

class PushNotesTest < Minitest::Test
  Notes = Spate::RemoteCache::Push::Notes

  def store = @store ||= Spate::Store.open(home: "#{folder}/home", env: {})
  def notes(cache = "cache") = Notes.new(store, cache)
  def note(name) = notes.tap { |all| all << name }.save
  def kept = store.read(Notes::KIND, Spate::Store.sha256("cache")).lines.map { |line| line.split.last }

  def test_notes_of_a_cache_are_saved_at_the_end_of_a_run
    made = notes
    made << "one"
    refute_includes notes, "one"
    made.save
    assert_includes notes, "one"
    refute_includes notes("another"), "one"
  end

  def test_concurrent_notes_are_kept
    made = notes
    made << "one"
    note("two")
    made.save
    assert_equal %w[one two], kept.sort
  end

  def test_old_notes_are_removed
    note("one")
    Time.stub(:now, Time.now + Notes::VALID_FOR + 1) do
      refute_includes notes, "one"
      note("two")
    end
    assert_equal %w[two], kept
  end
end
