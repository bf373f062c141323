# frozen_string_literal: true

require "test_helper"

module Spate
  class RecordTest < Minitest::Test
    def test_what_is_written_is_read
      record = Build::Record.new(full_name: "alpha-1.0", seconds: 1.5, root: "/app/bundle",
                                 removed: ["gems/alpha-1.0/old"],
                                 libraries: [["libm.so.6", "/lib/libm.so.6"], ["liba.so", "/opt/liba.so", "/opt"]])

      assert_equal record, Build::Record.parse(record.to_s)
    end

    def test_lines_of_a_later_version_are_skipped
      record = Build::Record.parse("gem\tbeta-1\nsomething\tnew\n")

      assert_equal "beta-1", record.full_name
      assert_nil record.root
      assert_empty record.libraries
    end
  end
end
