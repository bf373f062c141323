# frozen_string_literal: true

require "cli/cli_case"

class UnitsTest < CLICase
  def test_bytes
    { 0 => "0 B", 999 => "999 B", 1000 => "1.0 kB", 999_949 => "999.9 kB", 999_950 => "1.0 MB", 9_123_456 => "9.1 MB",
      5_000_000_000 => "5.0 GB", 7_000_000_000_000_000 => "7000.0 TB" }.each do |count, text|
      assert_equal text, Spate::CLI::Units.bytes(count)
    end
  end

  def test_seconds
    { 0.0213 => "0.02 s", 6.28 => "6.3 s", 99.94 => "99.9 s", 194 => "3:14 min" }.each do |seconds, text|
      assert_equal text, Spate::CLI::Units.seconds(seconds)
    end
  end

  def test_counts
    assert_equal "1 gem", Spate::CLI::Units.count(1, "gem")
    assert_equal "0 gems", Spate::CLI::Units.count(0, "gem")
  end
end
