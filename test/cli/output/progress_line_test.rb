# frozen_string_literal: true

require "cli/cli_case"

class ProgressLineTest < CLICase
  EVENTS = [
    { event: :plan, total: 212, fetch: 212, build: 9 }, *([{ event: :fetch_done, bytes: 10 }] * 131),
    *([{ event: :unpacked }] * 128), *(%w[a b c].flat_map do |name|
                                         [{ event: :build_start, name: name }, { event: :build_done, name: name }]
                                       end),
    { event: :build_start, name: "nokogiri" }, *([{ event: :linked }] * 120)
  ].freeze

  def tally(seconds = [0]) = Spate::CLI::Output::Tally.new(clock: -> { seconds.first })

  def test_line_shows_the_progress_of_each_step
    seconds = [0]
    tally = tally(seconds)
    EVENTS.each { |event| tally.add(event) }
    seconds[0] = 14.9

    assert_equal "fetched 131/212 · unpacked 128 · built 3/9 (nokogiri 0:14) · linked 120",
                 Spate::CLI::Output::ProgressLine.new(terminal, tally: tally).parts.join(" · ")
  end

  def test_unknown_totals_grow_with_started_steps
    tally = tally()
    [{ event: :plan, total: 5 }, { event: :fetch_start, name: "a" }, { event: :fetch_start, name: "b" },
     { event: :fetch_done, name: "a", bytes: 3 }].each { |event| tally.add(event) }

    assert_equal ["fetched 1/2"], Spate::CLI::Output::ProgressLine.new(terminal, tally: tally).parts
  end

  def test_a_cached_build_counts_as_reused
    tally = tally()
    tally.add(event: :build_done, name: "a", cached: true)

    assert_equal [0, 1], [tally.built, tally.reused]
  end

  def draw(columns: 200)
    screen = Screen.new.tap { |err| err.columns = columns }
    line = Spate::CLI::Output::ProgressLine.new(terminal(err: screen))
    EVENTS.each { |event| line.call(event) }
    sleep 0.35
    yield line if block_given?
    line.finish
    screen.string
  end

  def test_it_draws_at_most_ten_times_a_second_and_leaves_no_trace
    text = draw

    assert_match(%r{\r\e\[K[⠋-⣿] fetched 131/212 · unpacked 128 · built 3/9 \(nokogiri 0:00\) · linked 120}, text)
    assert_includes 1..4, text.scan("fetched").length
    assert text.end_with?("\r\e[K")
    refute_includes text, "\n"
  end

  def test_it_keeps_to_the_width
    lines = draw(columns: 30).split("\r\e[K").reject(&:empty?)

    refute_empty lines
    assert_equal [29], lines.map(&:length).uniq
  end

  def test_short_run_draws_nothing
    screen = Screen.new
    line = Spate::CLI::Output::ProgressLine.new(terminal(err: screen))
    line.call(event: :plan, total: 3)
    line.finish

    assert_empty screen.string
  end

  def test_warnings_are_separate_lines
    text = draw { |line| line.call(event: :warning, message: "old \e[2J", hint: "new") }

    assert_match(/\e\[K\e\[33mwarning:\e\[0m old \\e\[2J\n\e\[36mhint:\e\[0m new\n/, text)
  end
end
