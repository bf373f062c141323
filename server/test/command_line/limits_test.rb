# frozen_string_literal: true

require "test_helper"
require "spate/server"

module Spate
  module Server
    # Each member of Limits is an option of the command, with its default in the help.
    class LimitsTest < Minitest::Test
      def parse(*arguments)
        values = {}
        parser = OptionParser.new { |options| CommandLine::ProcessOptions.limits(options, values) }
        parser.parse(arguments)
        [values[:limits], parser]
      end

      def test_every_limit_is_an_option_with_its_meaning_and_default
        help = parse.last.help
        Limits::DEFINITIONS.each do |limit|
          next refute_includes(help, "drain") if limit.name == :drain # has its own option, --drain

          assert_includes help, "--limit-#{limit.name.to_s.tr("_", "-")} #{limit.unit}"
          assert_includes help, limit.text
          assert_includes help, "(#{limit.default || "none"})"
        end
      end

      def test_values
        limits, = parse(*%w[--limit-header-bytes 64K --limit-idle 0.5e1 --limit-body 2G --limit-streams=7])
        assert_equal [65_536, 5.0, 2 << 30, 7], [limits.header_bytes, limits.idle, limits.body, limits.streams]
        assert_nil parse("--limit-body", "none").first.body
        assert_equal Limits.defaults.to_h, parse.first.to_h
      end

      def test_error_names_the_option
        [%w[--limit-streams 0], %w[--limit-streams many], %w[--limit-idle none], %w[--limit-idle 0],
         %w[--limit-connection-window 100], %w[--limit-header-bytes -1], %w[--limit-streams 1.5]].each do |arguments|
          error = assert_raises(OptionParser::InvalidArgument, arguments.join(" ")) { parse(*arguments) }
          assert_match(/\Ainvalid argument: #{arguments.first} .+/, error.message)
        end
      end

      def test_unknown_name
        error = assert_raises(ArgumentError) { Limits.new(patience: 1) }
        assert_equal "unknown limit patience", error.message
      end
    end
  end
end
