# frozen_string_literal: true

require "cli/cli_case"

class SummaryTest < CLICase
  def line(**facts)
    report = Spate::Install::Report.new
    facts.each { |name, value| report.public_send("#{name}=", value) }
    Spate::CLI::Output::Summary.new(report).line
  end

  def test_everything
    assert_equal "212 gems in 6.3 s: 14 from the network (9.1 MB), 198 from the store, 2 extensions built, 7 reused",
                 line(total: 212, seconds: 6.28, fetched: 14, fetched_bytes: 9_123_456, from_store: 198, built: 2,
                      build_reused: 7)
  end

  def test_counts_of_the_team_cache
    assert_equal "20 gems in 2.0 s: 18 from the team's cache (3.0 MB), 2 from the store, 1 extension built, " \
                 "6 from the team's cache, 7 reused",
                 line(total: 20, seconds: 2, from_team: 18, team_bytes: 3_000_000, from_store: 2, built: 1,
                      builds_from_team: 6, build_reused: 13)
    assert_equal "2 gems in 2.0 s: 2 from the store, 2 extensions from the team's cache (3.0 MB)",
                 line(total: 2, seconds: 2, from_store: 2, team_bytes: 3_000_000, builds_from_team: 2, build_reused: 2)
  end

  def test_zero_counts_are_left_out
    assert_equal "1 gem in 0.04 s: 1 from the store", line(total: 1, seconds: 0.04, from_store: 1)
    assert_equal "3 gems in 1.0 s: 1 from vendor/cache, 2 in place, 1 extension reused, 1 removed",
                 line(total: 3, seconds: 1, from_vendor: 1, reused: 2, build_reused: 1, removed: ["x-1"])
    assert_equal "4 gems in 2.0 s: 1 from git, 2 in their folders, 1 in place",
                 line(total: 4, seconds: 2, from_git: 1, in_folders: 2, reused: 1)
    assert_equal "0 gems in 0.00 s", line(total: 0)
  end

  def test_noop_install
    assert_equal "212 gems in place, nothing to do (0.02 s)", line(total: 212, seconds: 0.02, noop: true)
  end
end
