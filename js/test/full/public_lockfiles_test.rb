# frozen_string_literal: true

require "test_helper"
require "json"
require "support/node_modules_comparison"
require "support/node_restores"
require "tmpdir"

# Restores the lockfiles of real projects with the project's own tool and with Spate, and compares the results path by
# path. Afterwards the tool must find nothing to change in Spate's result. SPATE_TEST_LOCKFILES is a folder of projects.
# Each contains a lockfile of npm or pnpm, package.json, and other files that the tool reads (.npmrc, patches, the
# package.json of workspaces). A table at the end lists the comparisons.
class PublicLockfilesTest < Minitest::Test
  FOLDER = ENV.fetch("SPATE_TEST_LOCKFILES", nil)
  PROJECTS = FOLDER ? Dir.glob("*/{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml}", base: FOLDER) : []
  # Commands of the tool that must print the same in both folders after the restore.
  QUESTIONS = { "npm" => [%w[ls --all --json], %w[ci --dry-run --ignore-scripts --no-audit --no-fund],
                          %w[install --dry-run --ignore-scripts --no-audit --no-fund]],
                "pnpm" => [%w[install --frozen-lockfile --offline --ignore-scripts],
                           %w[ls -r --depth 2 --json]] }.freeze
  # Shell scripts that pnpm writes for each executable. Spate's scripts have a different text, but the same effect.
  SHIM = %r{/\.bin/[^/]+: expected executable file \h+, found executable file \h+\z}
  # The line with the name of npm's log.
  LOG = /complete log of this run/
  COUNT = /^([\d,]+) packages?/

  @table = []
  @restores = Spate::NodeRestores.new if FOLDER
  Minitest.after_run { finish }

  class << self
    # The rows of the table; and one NodeRestores for all projects, so that they share stores and caches.
    attr_reader :table, :restores

    def finish
      table.sort.each { |row| puts format("%-36s %-5s %8s packages %6s differences  %s", *row) }
      restores&.remove
    end
  end

  def test_projects_exist
    skip "SPATE_TEST_LOCKFILES names no folder of projects" unless FOLDER

    refute_empty PROJECTS, "no lockfile in #{FOLDER}"
  end

  PROJECTS.map { |path| File.dirname(path) }.uniq.each do |name|
    define_method("test_#{name}") { compare(name) }
  end

  private

  def compare(name)
    Dir.mktmpdir("spate-lockfile") do |folder|
      theirs, mine = %w[theirs mine].map { |whose| copy(name, "#{folder}/#{whose}") }
      tool = File.exist?("#{theirs}/pnpm-lock.yaml") ? "pnpm" : "npm"
      said, fine = restores.frozen(tool, theirs)
      found, well = restores.spate(mine)
      assert_equal fine, well, "#{said}\n#{found}"
      skip "#{name}: #{tool} cannot restore it: #{reason(said)}; Spate: #{reason(found)}" unless fine
      tell(name, tool, found, differences(theirs, mine) + answers(tool, theirs, mine) + differences(theirs, mine))
    end
  end

  # Copies a project into a folder. Returns the path of the copy.
  def copy(name, folder)
    FileUtils.mkdir_p(folder)
    FileUtils.cp_r("#{FOLDER}/#{name}", folder)
    "#{folder}/#{name}"
  end

  def tell(name, tool, said, differences)
    self.class.table << [name, tool, said[COUNT, 1], differences.size, said[/^.*left to .*$/]]
    assert_empty differences
  end

  # Returns the line of the output that states why a tool failed.
  def reason(said)
    lines = said.lines.map(&:strip)
    (lines.grep(/ERR_|npm error (?!code)|error:/i).first || lines.last).to_s[0, 200]
  end

  def differences(theirs, mine)
    Spate::NodeModulesComparison.compare(theirs, mine).grep_v(SHIM)
  end

  def answers(tool, theirs, mine)
    QUESTIONS.fetch(tool).filter_map do |words|
      expected, found = [theirs, mine].map { |folder| answer(tool, words, folder) }
      "#{words.join(" ")}: expected #{(expected - found).first}, found #{(found - expected).first}" if expected != found
    end
  end

  # Runs a command. Returns "well" or "badly", and its lines of output without paths and times. They are sorted, because
  # pnpm lists packages in any order.
  def answer(tool, words, folder)
    said, fine = restores.tool(tool, words, folder)
    lines = said.gsub(File.realpath(folder), "").gsub(/\d[\d.]*m?s\b/, "TIME").lines.grep_v(LOG)
    [fine ? "well" : "badly", *lines.map { |line| line.strip.delete_suffix(",") }.sort]
  end

  def restores = self.class.restores
end
