# frozen_string_literal: true

require "test_helper"
require "open3"

# Limits that keep the project readable: short directory listings, decision records and glossary.
class HouseTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  SIDE_BY_SIDE = 15
  # Folders that may be longer, because a reader looks for a file by its name: commands, components, pages, records,
  # snapshots, helpers of tests and benchmarks, and inputs of fuzzers.
  LONGER = %r{\A(?:\.|docs|docs/adr|lib/spate|lib/spate/cli|server/lib/spate/server|
              (?:server/)?(?:benchmark|test)/support|test/cli/snapshots|.*/corpus/.*|.*fuzz/corpus)\z}x
  PAGE = 45
  WORDS = 20

  def test_folders_are_short
    counts = files.group_by { |path| File.dirname(path) }.transform_values(&:size)

    assert_operator counts.size, :>, 100
    assert_empty(counts.select { |folder, count| count > SIDE_BY_SIDE && !folder.match?(LONGER) })
  end

  def test_decision_record_fits_on_one_page
    records = files.grep(%r{\A(?:\w+/)?docs/adr/})

    assert_operator records.size, :>, 25
    assert_empty(records.select { |path| File.foreach("#{ROOT}/#{path}").count > PAGE })
  end

  def test_glossary_is_short
    table = File.read("#{ROOT}/CONTRIBUTING.md", encoding: "UTF-8")[/^\| word \|.*?\n\n/m]
    words = table.scan(/^\| (?!word |---)([^|]+) \|/).flatten.flat_map { |cell| cell.split(", ") }

    assert_includes 10..WORDS, words.size, words.join(", ")
  end

  private

  # The files tracked by git. Skips the test in an unpacked archive of the project.
  def files
    said, status = Open3.capture2("git", "-C", ROOT, "ls-files")
    skip "no git checkout" unless status.success?

    said.lines(chomp: true)
  end
end
