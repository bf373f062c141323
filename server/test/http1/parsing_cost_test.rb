# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

module Spate
  module Server
    # The cost of parsing grows linearly with the input: every part of a request is filled with every separator, at 1
    # and 8 KB (64 KB with --full). Counts instructions with valgrind instead of measuring times.
    class ParsingCostTest < Minitest::Test
      MOST = ENV["SPATE_TEST_FULL"] ? 65_536 : 8192
      PROGRAM = File.expand_path("../support/programs/counted_parsing.rb", __dir__)

      def test_cost_is_linear_in_the_length
        write("site/a.txt", "a")
        out = File.join(folder, "counted")
        told, errors, status = Open3.capture3("valgrind", "--tool=callgrind", "--callgrind-out-file=#{out}", "-q",
                                              "--instr-atstart=no", "--zero-before=getsid",
                                              "--dump-before=getppid", "--dump-line=no",
                                              RbConfig.ruby, "--disable-gems", PROGRAM, File.join(folder, "site"), out,
                                              MOST.to_s)
        assert_predicate status, :success?, errors
        *faults, sum = told.lines.map { |line| JSON.parse(line) }
        assert_empty faults, faults.join("\n")
        assert_operator sum["texts"], :>, 300
      rescue Errno::ENOENT
        skip "valgrind is not installed"
      end
    end
  end
end
