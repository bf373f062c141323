# frozen_string_literal: true

require "cli/cli_case"

class PackagesPlainLogTest < CLICase
  EVENTS = [
    { event: :plan, total: 1 }, { event: :js_plan, total: 3, fetch: 1 },
    { event: :js_fetch_done, name: "core-js@3.0.0", bytes: 1500 },
    { event: :js_unpacked, name: "core-js@3.0.0", files: 3745, bytes: 9 }, { event: :js_linked, name: "core-js@3.0.0" },
    { event: :js_script_start, name: "esbuild@0.1.0" },
    { event: :js_script_done, name: "esbuild@0.1.0", seconds: 2.5, cached: false },
    { event: :js_script_done, name: "sharp@0.1.0", seconds: 0.1, cached: true },
    { event: :build_done, name: "a-1", seconds: 2.5, cached: false },
    { event: :js_tool_start, tool: "yarn", command: "yarn install --immutable", reasons: [] },
    { event: :js_tool_start, tool: "npm", command: "npm ci", reasons: %w[git links] },
    { event: :warning, message: "old", hint: "new" }
  ].freeze

  def log(verbose: false, times: [0] * 100)
    err = StringIO.new
    terminal = terminal(err: err).tap { |each| each.verbose = verbose }
    packages = Spate::CLI::Output::Packages
    log = packages::PlainLog.new(terminal, tally: packages::Tally.new, clock: -> { times.shift })
    EVENTS.each { |event| log.call(event) }
    err.string
  end

  def test_prints_few_complete_lines
    assert_equal <<~TEXT, log
      ran the scripts of esbuild@0.1.0 in 2.5 s
      built a-1 in 2.5 s
      running `yarn install --immutable`
      running `npm ci`: git; links
      warning: old
      hint: new
    TEXT
  end

  def test_prints_every_step_when_verbose
    assert_equal <<~TEXT, log(verbose: true).lines.first(5).join
      fetched core-js@3.0.0 (1.5 kB)
      unpacked core-js@3.0.0 (3,745 files)
      linked core-js@3.0.0
      running the scripts of esbuild@0.1.0
      ran the scripts of esbuild@0.1.0 in 2.5 s
    TEXT
  end

  def test_prints_progress_periodically
    assert_includes log(times: (0..).step(7).first(100)), "packages 2/3"
  end
end
