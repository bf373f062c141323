# frozen_string_literal: true

require "test_helper"

module Spate
  # docs/platforms.md must list every condition in C code, and every Linux file that Ruby code reads.
  class PlatformsTest < Minitest::Test
    ROOT = File.expand_path("../..", __dir__)
    ROW = /^\| (`[^|]+) \| (`[^|]+) \|/
    WORDS = /`([^`]+)`/
    CONDITION = %r{^\s*#\s*(?:if|ifdef|ifndef|elif)\s+(.*?)(?:/\*.*)?$}
    NAME = /\b(?!defined\b|SPATE_\w+_H\b)[A-Za-z_]\w+/
    SYSTEM_FILE = %r{"(/(?:proc|sys|etc/os-)[^"#]*)}

    def test_conditions
      assert_told(found("{core,ext,bytes/ext,server/ext}/**/*.{c,h}") do |text|
        text.gsub("\\\n", " ").scan(CONDITION).join(" ").scan(NAME)
      end)
    end

    def test_files_of_the_system = assert_told(found("lib/**/*.rb") { |text| text.scan(SYSTEM_FILE).flatten })

    def test_table_has_no_other_rows
      all = found("{core,ext,bytes/ext,server/ext}/**/*.{c,h}") { |text| text.scan(NAME) } +
            found("lib/**/*.rb") { |text| text.scan(SYSTEM_FILE).flatten }
      rows.each do |words, paths|
        assert_empty words - all.map(&:first), "documented, and not in the sources"
        assert_empty paths - all.map(&:last), "documented, and not read"
      end
    end

    private

    def assert_told(pairs)
      refute_empty pairs
      assert_empty pairs - rows.flat_map { |words, paths| words.product(paths) }, "not told"
    end

    # The rows of the table: [[[word], [path]]]
    def rows
      @rows ||= File.read(File.join(ROOT, "docs/platforms.md")).scan(ROW).map do |cells|
        cells.map { |cell| cell.scan(WORDS).flatten }
      end
    end

    # [[word, path]] for each word that the block finds in a file of the pattern.
    def found(pattern, &words)
      paths = Dir[File.join(ROOT, pattern)].map { |path| path.delete_prefix("#{ROOT}/") }.grep_v(%r{\Acore/test/})
      paths.flat_map { |path| words.call(File.read(File.join(ROOT, path))).uniq.product([path]) }
    end
  end
end
