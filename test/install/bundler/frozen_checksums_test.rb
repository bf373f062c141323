# frozen_string_literal: true

require_relative "../install_case"
require "support/rubygems_release"

# Missing rows in CHECKSUMS, with and without a frozen bundle, compared with the Bundler that the lockfile names.
class FrozenChecksumsTest < InstallCase
  LINES = %w[2.5 2.6 2.7 4.0].freeze
  # { existing rows => text of the section for "one" and "two" }; nil: no section
  SECTIONS = { "whole" => "  one (1.0) %s\n  two (1.0) %s\n", "row absent" => "  one (1.0) %s\n",
               "row empty" => "  one (1.0) %s\n  two (1.0)\n", "section empty" => "", "section absent" => nil }.freeze

  def setup
    super
    %w[one two].each { |name| @source.add(name, "1.0") }
  end

  LINES.each do |line|
    define_method("test_bundler_#{line.tr(".", "_")}") do
      release = RubygemsRelease.new(line)
      skip release.missing if release.missing

      written = written_by(release)
      SECTIONS.keys.product([true]).push(["row absent", false], ["section empty", false]).each do |name, frozen|
        mine, theirs = %w[spate bundler].map do |tool|
          application("#{name}-#{frozen}-#{tool}".tr(" ", "-"), SECTIONS[name], release.bundler, written)
        end
        env = { **release.environment, BUNDLE_VERSION: release.bundler, BUNDLE_FROZEN: frozen.to_s }
        compare("#{line}, #{name}, frozen: #{frozen}", mine.spate("install", **env),
                theirs.run("bundle", "install", **env))
      end
    end
  end

  # Debian's Bundler 2.3 does not support CHECKSUMS. It would download the Bundler that the lockfile names.
  def test_a_lockfile_that_names_a_bundler_that_is_not_installed
    project = application("app", SECTIONS["row absent"], "2.6.9")
    installed = project.bundle("--version")[/[\d.]+/]
    skip "Bundler #{installed} knows CHECKSUMS" if Gem::Version.new(installed) >= Gem::Version.new("2.6.0")

    assert_fails(project, 4, "your lockfile is missing a CHECKSUMS entry for \"two\"", BUNDLE_FROZEN: "true")
    assert_installs(application("older", SECTIONS["row absent"], "2.5.23"), BUNDLE_FROZEN: "true")
    assert_installs(application("empty", SECTIONS["row empty"], "2.6.9"), BUNDLE_FROZEN: "true")
    assert_installs(project, BUNDLE_FROZEN: "false")
  end

  private

  # The lockfile that this Bundler writes. 4.0 also adds a row for itself.
  def written_by(release)
    project = app("written", gems: %w[one two])
    FileUtils.rm(project.path("Gemfile.lock"))
    project.bundle("lock", **release.environment, BUNDLE_VERSION: release.bundler, BUNDLE_LOCKFILE_CHECKSUMS: "true")
    File.read(project.path("Gemfile.lock"))
  end

  def application(name, rows, bundler, written = nil)
    project = app(name, gems: %w[one two])
    lockfile = project.path("Gemfile.lock")
    text = written || File.read(lockfile)
    own = text[/^  bundler \(.*\n/]
    text = text.sub(/^CHECKSUMS\n(?: .*\n)*\n/, "").sub(/^BUNDLED WITH\n.*/m, "")
    File.write(lockfile, "#{text}#{section(rows, own)}BUNDLED WITH\n   #{bundler}\n")
    project
  end

  def section(rows, own)
    return unless rows

    sums = %w[one two].map { |gem| Digest::SHA256.file(@source.catalog.archive("#{gem}-1.0.gem")).hexdigest }
    "CHECKSUMS\n#{own}#{format(rows, *sums.first(rows.scan("%s").size).map { |sum| "sha256=#{sum}" })}\n"
  end

  def compare(what, mine, theirs)
    output, status = mine
    others_output, others = theirs
    assert_equal others.success? ? 0 : 4, status.exitstatus, "#{what}:\n#{output}\n#{others_output}"
    return if others.success?

    assert_match(/checksums entry|checksum/i, others_output, what)
    assert_match(/CHECKSUMS entry|checksum/, output, what)
  end
end
