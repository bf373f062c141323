# frozen_string_literal: true

require "cli/cli_case"

class PlainLogTest < CLICase
  EVENTS = [
    { event: :plan, total: 3 }, { event: :fetch_start, name: "a-1" },
    { event: :fetch_done, name: "a-1", bytes: 1500, source: "http://localhost/" },
    { event: :unpacked, name: "a-1", files: 3, bytes: 9 }, { event: :build_start, name: "a-1" },
    { event: :build_done, name: "a-1", seconds: 2.5, cached: false },
    { event: :build_done, name: "b-1", seconds: 0.1, cached: true },
    { event: :linked, name: "a-1" }, { event: :warning, message: "old", hint: "new" }
  ].freeze

  def log(verbose: false, times: [0] * 100)
    err = StringIO.new
    terminal = terminal(err: err).tap { |each| each.verbose = verbose }
    log = Spate::CLI::Output::PlainLog.new(terminal, clock: -> { times.shift })
    EVENTS.each { |event| log.call(event) }
    err.string
  end

  def test_few_whole_lines
    assert_equal "built a-1 in 2.5 s\nwarning: old\nhint: new\n", log
  end

  def test_every_step_when_verbose
    assert_equal <<~TEXT, log(verbose: true)
      fetched a-1 (1.5 kB) from http://localhost/
      unpacked a-1 (3 files)
      building a-1
      built a-1 in 2.5 s
      linked a-1
      warning: old
      hint: new
    TEXT
  end

  def test_progress_from_time_to_time
    assert_includes log(times: (0..).step(7).first(100)), "fetched 1/1"
  end
end
