# frozen_string_literal: true

require "cli/cli_case"

class ProgressTest < CLICase
  def setup
    super
    @seconds = 0
  end

  # The output for the first `done` of 4,000 items, at about nine per second.
  def told(terminal, done)
    progress = Spate::CLI::Output::Progress.new(terminal, clock: -> { @seconds })
    (1..done).each do |number|
      @seconds += 0.11
      progress.call("read", number, 4000)
    end
    progress.clear
    terminal.err.string
  end

  def test_line_every_ten_seconds_without_a_screen
    assert_empty told(terminal, 80)
    assert_equal ["read 91 of 4,000\n", "read 182 of 4,000\n"], told(terminal, 200).lines.last(2)
  end

  def test_line_is_redrawn_on_a_screen
    live = terminal(err: Screen.new, env: {})

    assert_equal "\r\e[Kread 1 of 4,000\r\e[Kread 2 of 4,000\r\e[K", told(live, 2)
    assert_empty told(terminal.tap { |one| one.quiet = true }, 200)
  end
end
