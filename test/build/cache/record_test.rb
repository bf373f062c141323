# frozen_string_literal: true

require "test_helper"

module Spate
  class RecordTest < Minitest::Test
    def test_record_round_trip
      record = Build::Cache::Record.new(full_name: "alpha-1.0", seconds: 1.5, root: "/app/bundle",
                                        removed: ["gems/alpha-1.0/old"], words: "AAAA", names: %w[CC CFLAGS],
                                        walks: [Build::Trace::Walk.new(".cargo/config".b, "all", ["2".b, "~".b])],
                                        missed: [["", "/srv/x"], ["XDG_DATA_HOME", "pkgconfig/x"]],
                                        programs: [%w[cc /usr/bin/cc], ["pg_config", ""]],
                                        signer: ["ab" * 16, 1_700_000_000], sees: [["cd" * 16, 1], ["ef" * 16, 2]])

      assert_equal record, Build::Cache::Record.parse(record.to_s)
    end

    def test_names_that_look_like_lines_and_fields
      removed = ["gems/alpha-1.0/a\nremoved\tgems/beta-1/lib/beta.rb", "gems/alpha-1.0/b\\n\tc", "gems/\xFFä"]
      record = Build::Cache::Record.new(full_name: "alpha-1.0", root: "/my\tbundle", removed: removed, names: [],
                                        walks: [], missed: [], sees: [],
                                        programs: [["a\\b", "/opt\n/a"]])

      assert_equal record.to_a, Build::Cache::Record.parse(record.to_s).tap { |read| read.seconds = nil }.to_a
    end

    def test_only_files_of_the_bundle_are_removed
      record = Build::Cache::Record.parse("removed\t../../other\nremoved\t/etc/passwd\nremoved\tgems/a..b/c\n")

      assert_equal ["gems/a..b/c"], record.removed
    end

    def test_lines_of_a_later_version_are_skipped
      record = Build::Cache::Record.parse("gem\tbeta-1\nsomething\tnew\n")

      assert_equal "beta-1", record.full_name
      assert_nil record.root
      assert_empty record.programs
      assert_empty record.signers
    end

    def test_signers_of_a_record
      record = Build::Cache::Record.parse("gem\tbeta-1\nsigner\taa\t7\nsees\tbb\t8\nsees\tcc\t9\n")

      assert_equal [["aa", 7], ["bb", 8], ["cc", 9]], record.signers
    end
  end
end
