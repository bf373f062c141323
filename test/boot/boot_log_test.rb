# frozen_string_literal: true

require "test_helper"
require "spate/boot/entry"

module Spate
  module Boot
    class BootLogTest < Minitest::Test
      def path = "#{folder}/x.bootlog"

      # A line in the format of the boot log.
      def line(kind, hits, others, wall: 1000, parts: [])
        [1_700_000_000, kind, "exit", wall, wall / 2, hits, others, 205, "41000,9000", *parts].join("\t") << "\n"
      end

      def test_savings_are_medians_compared_with_the_last_boot_without_compile_caches
        File.write(path, [line("rake", 0, 100, wall: 5000), line("rake", 1, 100, wall: 3000),
                          line("rake", 95, 5, wall: 900), line("rake", 95, 5, wall: 700),
                          line("rake", 95, 5, wall: 800), line("puma", 100, 0, wall: 400)].join)
        rake, puma = CompileCache::Status::Gains.of(BootLog.lines(path))

        assert_equal({ kind: "rake", boots: 3, wall: 0.8, cpu: 0.4, without_wall: 3.0, without_cpu: 1.5 },
                     rake.except(:last_wall, :last_cpu))
        assert_equal ["puma", 0.4, nil], puma.values_at(:kind, :wall, :without_wall)
      end

      def test_median_of_an_even_number_is_the_mean_of_the_middle_two
        assert_in_delta 3.0, BootLog.median([2, 4])
        assert_in_delta 2.5, BootLog.median([9, 1, 3, 2])
        assert_in_delta 2.0, BootLog.median([9, 1, 2])
        assert_nil BootLog.median([])
      end

      def test_both_times_begin_with_the_process
        skip "this system does not tell when a process started" unless File.exist?("/proc/self/stat")

        code = <<~RUBY
          200.times { Array.new(20_000) { |i| i.to_s } }
          require "spate/boot/entry"
          p Spate::Boot::Session::ProcessTime.new.to_a, Spate::Boot::Session::ProcessTime.new(stat: "#{folder}/none").to_a
        RUBY
        since, from_here = `#{Util::Ruby.path} -I#{LIBRARY} -e '#{code}'`.scan(/\d+/).map(&:to_i).each_slice(2).to_a

        assert_operator since.first, :>=, since.last, "wall time below processor time"
        assert_operator from_here.max, :<, since.last, "work before the compile caches counts"
      end

      def test_unused_parts
        File.write(path, line("rake", 1, 1, parts: ["heap=turned off", "yaml=a = b"]))

        assert_equal({ "heap" => "turned off", "yaml" => "a = b" }, BootLog.lines(path).first.parts)
        assert_equal [205, [41_000, 9000]], BootLog.lines(path).first.to_a.values_at(7, 8)
      end

      def test_invalid_lines_are_skipped
        assert_empty BootLog.lines("#{folder}/none")
        File.binwrite(path, "\xff\xfe\n")
        assert_empty BootLog.lines(path)
        File.write(path, "half a li\n#{line("rake", 1, 0)}\n\t\t\n17\trake\texit\n")
        assert_equal %w[rake], BootLog.lines(path).map(&:kind)
      end

      def test_log_is_truncated_and_keeps_the_boot_for_comparison
        File.write(path, line("rake", 0, 9, wall: 4321) + (line("rake", 9, 0) * 400))
        BootLog.send(:shorten, path)
        lines = BootLog.lines(path)

        assert_equal BootLog::KEPT + 1, lines.size
        assert_in_delta 4.321, CompileCache::Status::Gains.of(lines).first[:without_wall]
        assert_equal ["x.bootlog"], Dir.children(folder)
      end
    end
  end
end
