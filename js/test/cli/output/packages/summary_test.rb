# frozen_string_literal: true

require "cli/cli_case"

class PackagesSummaryTest < CLICase
  def report(kind, **facts)
    kind.new.tap { |report| facts.each { |name, value| report.public_send("#{name}=", value) } }
  end

  def gems(**facts) = report(Spate::Install::Report, **facts)
  def packages(**facts) = report(Spate::JS::Restore::Report, **facts)
  def line(...) = Spate::CLI::Output::Packages::Summary.new(...).line

  def test_gems_and_packages
    assert_equal "155 gems and 1,356 packages in 3.4 s: 14 from the network (9.1 MB), 1,497 from the store, " \
                 "2 extensions built, 7 reused, scripts of 2 packages run, 1 reused",
                 line(gems: gems(total: 155, fetched: 4, fetched_bytes: 3_000_000, from_store: 151, built: 2,
                                 build_reused: 7, seconds: 3.1),
                      packages: packages(total: 1356, fetched: 10, fetched_bytes: 6_123_456, from_store: 1346, built: 2,
                                         build_reused: 1, seconds: 2.0), seconds: 3.42)
  end

  def test_only_packages
    assert_equal "1 package in 0.04 s: 1 from the store",
                 line(packages: packages(total: 1, seconds: 0.04, from_store: 1))
    assert_equal "2 packages in 1.0 s: 2 in place, 1 removed, scripts of 3 packages reused",
                 line(packages: packages(total: 2, seconds: 1, reused: 2, removed: ["x"], build_reused: 3))
  end

  def test_everything_in_place
    assert_equal "1 gem and 2 packages in place, nothing to do (0.05 s)",
                 line(gems: gems(total: 1, noop: true), packages: packages(total: 2, noop: true), seconds: 0.05)
    assert_equal "1 gem and 2 packages in 0.05 s: 3 in place",
                 line(gems: gems(total: 1, noop: true, reused: 1), packages: packages(total: 2, reused: 2),
                      seconds: 0.05)
  end

  def test_restores_by_another_tool
    assert_equal "155 gems and packages by yarn in 3.0 s",
                 line(gems: gems(total: 155), packages: packages(tool: "yarn", handed_over: "its own"), seconds: 3)
    assert_equal "gems by Bundler and 2 packages in 3.0 s",
                 line(gems: gems(handed_over: ["x"]), packages: packages(total: 2), seconds: 3)
  end
end
