# frozen_string_literal: true

require "test_helper"
require "spate"

module Spate
  class RegistryInfoTest < Minitest::Test
    SUM = "ab" * 32

    def test_lines_with_everything_nothing_and_the_unknown
      found = Registry::Index::Info.parse(<<~TEXT)
        ---
        1.0 |checksum:#{SUM}
        1.1-x86_64-linux-musl rack:< 4&>= 2,rake:>= 0|checksum:#{SUM.upcase},ruby:< 4&>= 3.1,rubygems:>= 3.3.22,created_at:2024-01-02T03:04:05Z

        1.2.pre.1-java |checksum:short,future:a:b
      TEXT

      assert_equal [["1.0", "ruby", {}, [], [], SUM, nil],
                    ["1.1", "x86_64-linux-musl", { "rack" => ["< 4", ">= 2"], "rake" => [">= 0"] }, ["< 4", ">= 3.1"],
                     [">= 3.3.22"], SUM, nil],
                    ["1.2.pre.1", "java", {}, [], [], nil, nil]], found.map(&:to_a)
    end

    def test_find_compares_the_complete_version
      text = "---\n1.0.1 |checksum:#{"1" * 64}\n1.0 |checksum:#{"2" * 64}\n1.0-java |checksum:#{"3" * 64}\n"

      assert_equal "2" * 64, find(text, "1.0", "ruby").sha256
      assert_equal "3" * 64, find(text, "1.0", "java").sha256
      assert_nil find(text, "1", "ruby")
    end

    def test_last_of_two_rows_wins
      assert_equal "2" * 64, find("1.0 |checksum:#{"1" * 64}\n1.0 |checksum:#{"2" * 64}\n", "1.0", "ruby").sha256
    end

    ADDRESSED = "1.0-#{"1" * 8} |checksum:#{"1" * 64},ruby:~> 3.4.0,rubygems:>= 4.1.0.a,platform:x86_64-linux\n".freeze

    def test_content_address_is_in_place_of_the_platform
      found = Registry::Index::Info.parse("1.0 |checksum:#{SUM}\n#{ADDRESSED}").last

      assert_equal ["1.0", "x86_64-linux", ["~> 3.4.0"], "1" * 8],
                   [found.version, found.platform, found.ruby, found.content_address]
      assert_equal found, find(ADDRESSED, "1.0", "x86_64-linux", "1" * 8)
      assert_nil find(ADDRESSED, "1.0", "x86_64-linux")
      assert_nil find(ADDRESSED, "1.0", "x86_64-linux", "2" * 8)
    end

    # As in RubyGems, a content address requires a platform and exactly one Ruby version.
    def test_invalid_content_addresses
      ["1.0-12345678 |ruby:~> 3.4.0", "1.0-12345678 |ruby:~> 3.4.0,platform:ruby",
       "1.0-12345678 |platform:x86_64-linux", "1.0-12345678 |ruby:>= 3.4.0,platform:x86_64-linux",
       "1.0-12345678 |ruby:~> 3.4,platform:x86_64-linux", "1.0-12345678 |ruby:< 4&~> 3.4.0,platform:x86_64-linux",
       "1.0-1234567 |ruby:~> 3.4.0,platform:x86_64-linux", "1.0-1234567G |ruby:~> 3.4.0,platform:x86_64-linux",
       "1.0-ABCDEF12 |ruby:~> 3.4.0,platform:x86_64-linux", "1.0 |ruby:~> 3.4.0,platform:x86_64-linux"].each do |line|
        found = Registry::Index::Info.parse("#{line}\n").first

        assert_nil found.content_address, line
        refute_equal "x86_64-linux", found.platform, line
      end
    end

    private

    def find(text, version, platform, address = nil)
      Registry::Index::Info.find(text, Package.new(name: "a", version: version, platform: platform, source: nil,
                                                   content_address: address))
    end
  end
end
