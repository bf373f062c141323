# frozen_string_literal: true

require "test_helper"
require "support/h2spec_cases"

module Spate
  module Server
    # docs/requirements.md refers only to existing tests.
    class RequirementsTest < Minitest::Test
      TABLE = File.expand_path("../docs/requirements.md", __dir__)
      FILES = { "P" => "http2/protocol", "Q" => "http2/request_rules", "D" => "reactor/deadlines",
                "O" => "http2/priorities", "H" => "http2/hpack", "E" => "http2/hpack_examples",
                "R" => "http2/hpack_peer" }.freeze

      def named = File.readlines(TABLE, encoding: "UTF-8").grep(/\A\| [^|]+ \| [^|]+ \|/).map do |line|
                    line.split("|")[3]
                  end

      # Returns the test names after this letter, as in "P one_test, another_test".
      def tests_of(letter)
        named.flat_map { |cell| cell.split(";") }.grep(/\b#{letter} [a-z]/).flat_map do |part|
          part[/\b#{letter} (.*)/, 1].split(",").map { |name| name.strip[/\A[a-z0-9_]+/] }.compact
        end
      end

      def test_names
        FILES.each do |letter, file|
          known = File.read(File.join(__dir__, "#{file}_test.rb"), encoding: "UTF-8").scan(/def test_(\w+)/).flatten
          tests = tests_of(letter).reject { |name| known.any? { |test| name.end_with?("_") && test.start_with?(name) } }
          assert_empty tests - known, letter
          refute_empty tests, letter unless %w[E R].include?(letter)
        end
      end

      def test_h2spec_numbers
        ids = H2specCases.all.map(&:id)
        named.join(" ").scan(%r{(?:http2|generic|hpack)/[\d./]+}).each do |number|
          number = number.delete_suffix(".")
          assert ids.any? { |id| id == number || id.start_with?("#{number}/") }, number
        end
      end
    end
  end
end
