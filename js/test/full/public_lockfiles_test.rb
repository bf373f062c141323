# frozen_string_literal: true

require "test_helper"
require "json"
require "support/node_modules_comparison"
require "support/node_restores"
require "tmpdir"

# Lockfiles of real projects, restored by their own tool and by Spate, compared path by path; then the tool must find
# nothing to change in Spate's result. SPATE_TEST_LOCKFILES names a folder of projects: each a folder with a lockfile of
# npm or pnpm, package.json, and other files that the tool reads (.npmrc, patches, the package.json of workspaces). A
# table at the end lists the comparisons.
class PublicLockfilesTest < Minitest::Test
  FOLDER = ENV.fetch("SPATE_TEST_LOCKFILES", nil)
  PROJECTS = FOLDER ? Dir.glob("*/{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml}", base: FOLDER) : []
  # Questions whose answer in both folders is the same, as the folders are after them.
  QUESTIONS = { "npm" => [%w[ls --all --json], %w[ci --dry-run --ignore-scripts --no-audit --no-fund],
                          %w[install --dry-run --ignore-scripts --no-audit --no-fund]],
                "pnpm" => [%w[install --frozen-lockfile --offline --ignore-scripts],
                           %w[ls -r --depth 2 --json]] }.freeze
  # Scripts of the shell that pnpm writes for each executable: Spate's have the same effect in other words.
  SHIM = %r{/\.bin/[^/]+: expected executable file \h+, found executable file \h+\z}
  # npm's name for what it notes of a run.
  LOG = /complete log of this run/
  COUNT = /^([\d,]+) packages?/

  @table = []
  @restores = Spate::NodeRestores.new if FOLDER
  Minitest.after_run { finish }

  class << self
    # One store for all: packages of one project are mostly there for the next.
    attr_reader :table, :restores

    def finish
      table.sort.each { |row| puts format("%-36s %-5s %8s packages %6s differences  %s", *row) }
      restores&.remove
    end
  end

  def test_there_are_projects
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

  # Of the same name, for a project that has no other.
  def copy(name, folder)
    FileUtils.mkdir_p(folder)
    FileUtils.cp_r("#{FOLDER}/#{name}", folder)
    "#{folder}/#{name}"
  end

  def tell(name, tool, said, differences)
    self.class.table << [name, tool, said[COUNT, 1], differences.size, said[/^.*left to .*$/]]
    assert_empty differences
  end

  # The line that says why a tool failed.
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

  # Without where it was asked and how long it took; pnpm tells packages in any order.
  def answer(tool, words, folder)
    said, fine = restores.tool(tool, words, folder)
    lines = said.gsub(File.realpath(folder), "").gsub(/\d[\d.]*m?s\b/, "TIME").lines.grep_v(LOG)
    [fine ? "well" : "badly", *lines.map { |line| line.strip.delete_suffix(",") }.sort]
  end

  def restores = self.class.restores
end
