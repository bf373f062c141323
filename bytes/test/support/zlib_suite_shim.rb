# frozen_string_literal: true

# Runs Ruby's own tests of zlib under minitest:
#
#     ruby zlib_suite_shim.rb stock|spate test_zlib.rb [minitest's options]
#
# The tests use Ruby's internal test framework. This file defines the parts that they need.

require "minitest/autorun"
require "open3"
require "rbconfig"
require "stringio"

LIBRARY = ARGV.shift
FILE = ARGV.shift
if LIBRARY == "spate"
  require "spate/zlib"
  Zlib = Spate::Zlib
  $LOADED_FEATURES.push("zlib.so")
else
  require "zlib"
end
$LOADED_FEATURES.push("test/unit.rb", File.expand_path("test/unit.rb"))
$LOAD_PATH.unshift(__dir__)

# EnvUtil of Ruby's test framework. The tests use only this method.
module EnvUtil
  def self.suppress_warning
    verbose, $VERBOSE = $VERBOSE, nil
    yield
  ensure
    $VERBOSE = verbose
  end
end

module Test
  module Unit
    AssertionFailedError = Minitest::Assertion

    # Minitest with the method names of the other framework.
    class TestCase < Minitest::Test
      LEAK_ROUNDS = 3

      def assert_raise(*expected, &block) = assert_raises(*expected, &block)
      def assert_nothing_raised(*) = yield
      def assert_not_predicate(object, predicate, *message) = refute_predicate(object, predicate, *message)
      def omit(reason = nil) = skip(reason)
      def pend(reason = nil) = skip(reason)

      # After the first round, memory may grow by at most a quarter.
      def assert_no_memory_leak(_options, prepare, code, *)
        library = LIBRARY == "spate" ? "require 'spate/zlib'; Zlib = Spate::Zlib" : "require 'zlib'"
        script = <<~RUBY
          #{library}
          #{prepare}
          size = -> { GC.start; Integer(File.read("/proc/self/status")[/^VmRSS:\\s+(\\d+)/, 1]) }
          round = -> { #{code} }
          round.call
          before = size.call
          #{LEAK_ROUNDS}.times { round.call }
          print size.call.fdiv(before)
        RUBY
        out, status = Open3.capture2e(RbConfig.ruby, "-I#{$LOAD_PATH.join(":")}", "-e", script)
        assert_predicate status, :success?, out
        assert_operator Float(out), :<, 1.25
      end
    end
  end
end

module Kernel
  alias require_without_suite require
  def require(name) = %w[test/unit zlib].include?(name) || require_without_suite(name)
end

load FILE
