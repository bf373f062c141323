# frozen_string_literal: true

require "cli/cli_case"

# Output::Packages draws one progress line for gems, for packages, or for both.
class PackagesProgressLineTest < CLICase
  Packages = Spate::CLI::Output::Packages
  GEMS = [{ event: :plan, total: 155, in_place: 11 }, *([{ event: :linked }] * 120)].freeze
  PACKAGES = [{ event: :js_plan, total: 1356, fetch: 600 }, *([{ event: :js_unpacked }] * 64)].freeze
  BUILDS = [*(%w[a b].flat_map do |name|
    [{ event: :build_start, name: name }, { event: :build_done, name: name }]
  end), *%w[nokogiri c d].map { |name| { event: :build_queued, name: name } },
            { event: :build_start, name: "nokogiri" }, { event: :js_script_start, name: "esbuild" },
            { event: :js_script_done, name: "esbuild" }].freeze

  def parts(*events)
    seconds = [0]
    tally = Packages::Tally.new(clock: -> { seconds.first })
    events.flatten.each { |event| tally.add(event) }
    seconds[0] = 14.9
    Packages::ProgressLine.new(terminal, tally: tally).parts.join(" · ")
  end

  def test_gems_and_packages
    assert_equal "gems 131/155 · packages 820/1356 · built 3/4 (nokogiri 0:14)", parts(GEMS, PACKAGES, BUILDS)
  end

  def test_gems_or_packages_only
    assert_equal "packages 820/1356", parts(PACKAGES)
    assert_equal "packages 1356/1356", parts({ event: :js_plan, total: 1356, fetch: 0 })
    assert_equal "gems 131/155", parts(GEMS)
  end

  def test_the_projects_own_tool
    start = { event: :js_tool_start, tool: "yarn", command: "yarn install", reasons: [] }
    assert_equal "gems 131/155 · packages by yarn 0:14", parts(GEMS, start)
    assert_equal "gems 131/155", parts(GEMS, start, { event: :js_tool_done, tool: "yarn", seconds: 14 })
  end

  def test_progress_never_decreases_or_exceeds_the_total
    linked = [{ event: :js_linked }] * 1400
    assert_equal "packages 1356/1356", parts(PACKAGES, linked)
    assert_equal "packages 820/1356", parts(PACKAGES, linked.first(300))
  end

  def test_draws_the_line
    screen = Screen.new.tap { |err| err.columns = 200 }
    line = Packages::ProgressLine.new(terminal(err: screen), tally: Packages::Tally.new)
    tool = { event: :js_tool_start, tool: "npm", command: "npm ci", reasons: ["a link \e[2J"] }
    [*GEMS, *PACKAGES, tool].each { |event| line.call(event) }
    sleep 0.15
    line.finish

    assert_includes screen.string, "running `npm ci`: a link \\e[2J\n"
    assert_includes screen.string, " gems 131/155 · packages 820/1356"
  end
end
