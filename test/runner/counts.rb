# frozen_string_literal: true

module Runner
  # Parsers for the output of each kind of test program: [passed, failed, [reason of each skip]]. A program that prints
  # no counts has failed, whatever its exit code is.
  module Counts
    # "tar_test: 41 tests, 1203 checks, 0 failed", and "skipped: reason" lines.
    module Core
      def self.read(output, _)
        counts = output.scan(/^\w+: (\d+) tests, \d+ checks, (\d+) failed$/).map { |pair| pair.map(&:to_i) }
        return [0, 1, []] if counts.empty?

        failed = counts.sum(&:last)
        [counts.sum(&:first) - failed, failed, output.scan(/^\s*skipped: (.+)$/).flatten]
      end
    end

    # minitest with --verbose: "12 runs, 40 assertions, 1 failures, 0 errors, 1 skips"
    module Minitest
      SUMMARY = /^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips$/
      FAILURE = /^ +\d+\) (?:Failure|Error):\n\S+#(test_\S+?)(?: \[|:$)/
      SKIP = /^ +\d+\) Skipped:\n(\S+) \[.*\]:\n(.+)$/

      def self.read(output, _)
        runs, failures, errors, skipped = output.scan(SUMMARY).last&.map(&:to_i)
        return [0, 1, []] if runs.to_i.zero?

        failed = failures + errors
        [runs - failed - skipped, failed, output.scan(SKIP).map { |test, reason| "#{test}: #{reason}" }]
      end

      # Names of the tests that failed.
      def self.failures(output) = output.scan(FAILURE).flatten.uniq
    end

    # libFuzzer with -print_final_stats=1. It counts as one test, which passes only if it read more than its seeds.
    module Fuzzer
      RUNS = /^stat::number_of_executed_units:\s+(\d+)$/
      SEEDS = /^INFO: seed corpus: files: (\d+)/

      def self.read(output, good)
        runs = output[RUNS, 1].to_i
        good && runs > output[SEEDS, 1].to_i ? [1, 0, []] : [0, 1, []]
      end
    end

    # A complete bin/test in another system. If that system is unavailable, this is one skip.
    module Nested
      TOTAL = /^(\d+) passed, (\d+) failed, \d+ skipped$/

      def self.read(output, good)
        reason = output[%r{^bin/fresh: (.*)}, 1]
        return [0, 0, ["second system: #{reason}"]] if reason && !output.match?(TOTAL)

        passed, failed = output.scan(TOTAL).last&.map(&:to_i) || [0, good ? 0 : 1]
        skips = output[/^Skipped:\n((?:  .*\n)+)/, 1].to_s.lines.map(&:strip)
        [passed, failed, skips.map { |skip| "second system: #{skip}" }]
      end
    end

    # Like Nested, but a time limit counts as a skip, unless a test had failed before.
    module InTime
      STOPPED = /^no end after .*: stopped$/

      def self.read(output, good)
        return Nested.read(output, good) unless output.match?(STOPPED) && !output.match?(/^FAILED /)

        [0, 0, ["second system: #{output[STOPPED]}, after #{output.scan(/^ok +/).length} of its tests"]]
      end
    end

    # A command that is one test.
    module Whole
      def self.read(_, good) = good ? [1, 0, []] : [0, 1, []]
    end
  end
end
