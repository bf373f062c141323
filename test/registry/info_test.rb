# frozen_string_literal: true

require "test_helper"
require "spate"

module Spate
  class RegistryInfoTest < Minitest::Test
    SUM = "ab" * 32

    def test_lines_with_everything_nothing_and_the_unknown
      found = Registry::Info.parse(<<~TEXT)
        ---
        1.0 |checksum:#{SUM}
        1.1-x86_64-linux-musl rack:< 4&>= 2,rake:>= 0|checksum:#{SUM.upcase},ruby:< 4&>= 3.1,rubygems:>= 3.3.22,created_at:2024-01-02T03:04:05Z

        1.2.pre.1-java |checksum:short,future:a:b
      TEXT

      assert_equal [["1.0", "ruby", {}, [], [], SUM],
                    ["1.1", "x86_64-linux-musl", { "rack" => ["< 4", ">= 2"], "rake" => [">= 0"] }, ["< 4", ">= 3.1"],
                     [">= 3.3.22"], SUM],
                    ["1.2.pre.1", "java", {}, [], [], nil]], found.map(&:to_a)
    end

    def test_find_takes_the_whole_number
      text = "---\n1.0.1 |checksum:#{"1" * 64}\n1.0 |checksum:#{"2" * 64}\n1.0-java |checksum:#{"3" * 64}\n"

      assert_equal "2" * 64, Registry::Info.find(text, "1.0", "ruby").sha256
      assert_equal "3" * 64, Registry::Info.find(text, "1.0", "java").sha256
      assert_nil Registry::Info.find(text, "1", "ruby")
    end
  end
end
