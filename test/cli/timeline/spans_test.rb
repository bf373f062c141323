# frozen_string_literal: true

require "test_helper"

# Converts events to spans with start and end, and to rows.
class TimelineSpansTest < Minitest::Test
  Timeline = Spate::CLI::Timeline
  ONE = Object.new
  OTHER = Object.new

  def spans(*notes)
    Timeline::Spans.of(notes.map do |moment, thread, event, facts|
      Timeline::Note.new(moment, thread, { event: event, **facts })
    end)
  end

  def test_start_and_done_make_a_span
    found = spans([1.0, ONE, :fetch_start, { name: "a-1", bytes: nil }], [1.1, ONE, :js_fetch_start, { name: "a-1" }],
                  [1.5, OTHER, :js_fetch_done, { name: "a-1", bytes: 7 }],
                  [2.0, ONE, :fetch_done, { name: "a-1", bytes: 9 }])

    # A gem and a package are both named a-1. Each end event ends the span of its own kind.
    assert_equal [["a-1", true, "fetch", 1.0, 1.0, 9], ["a-1", false, "fetch", 1.1, 0.4, 7]],
                 found.map { |span| [span.name, span.gem, span.phase, span.start, span.seconds.round(3), span.bytes] }
  end

  def test_events_with_seconds_are_spans
    found = spans([2.0, ONE, :js_unpacked, { name: "core-js@3", files: 3745, bytes: 9, seconds: 0.5 }],
                  [3.0, ONE, :js_link_done, { total: 1356, seconds: 0.25 }],
                  [4.0, ONE, :unpacked, { name: "x-1" }])

    assert_equal [["core-js@3", "unpack", 1.5, 3745], ["1,356 packages", "link", 2.75, nil]],
                 found.map { |span| [span.name, span.phase, span.start, span.files] }
  end

  def test_span_without_an_end_is_left_out
    assert_empty spans([1.0, ONE, :build_start, { name: "a-1" }], [1.0, ONE, :build_done, { name: "b-1" }])
  end

  def rows(*times)
    found = times.map do |thread, phase, start, seconds|
      Timeline::Span.new(name: "x", phase: phase, start: start, seconds: seconds, thread: thread)
    end
    lanes = Timeline::Lanes.assign(found.sort_by(&:start))
    [lanes.map { |lane| [lane.phase, lane.number] }, found.map { |span| span.lane.number }]
  end

  def test_one_row_per_thread_and_phase
    assert_equal [[["fetch", 1], ["unpack", 1], ["unpack", 2]], [1, 2, 1, 1]],
                 rows([ONE, "unpack", 1, 1], [OTHER, "unpack", 2.5, 1], [ONE, "unpack", 3, 1], [ONE, "fetch", 0, 9])
  end

  def test_thread_with_several_concurrent_spans
    assert_equal [[["fetch", 1], ["fetch", 2]], [1, 2, 1]],
                 rows([ONE, "fetch", 1, 2], [ONE, "fetch", 2, 2], [ONE, "fetch", 3, 1])
  end

  def test_builds_wait_in_threads_of_their_own
    assert_equal [[["build", 1], ["build", 2]], [1, 2, 1]],
                 rows([ONE, "build", 1, 2], [OTHER, "build", 2, 2], [Object.new, "build", 3, 1])
  end

  def test_late_event_adds_no_row
    assert_equal [[["unpack", 1]], [1, 1]], rows([ONE, "unpack", 1, 1.0004], [ONE, "unpack", 2, 1])
  end
end
