# frozen_string_literal: true

require "test_helper"
require "spate/cli/failure"
require "stringio"

module Spate
  module CLI
    class FailureTest < Minitest::Test
      def told(error)
        err = StringIO.new
        terminal = Terminal.new(out: StringIO.new, err: err, env: {})
        [Failure.new(error, argv: ["install"], terminal: terminal).report, err.string]
      end

      # Ruby 3.1 puts the receiver with all of its variables into the message.
      def test_a_bug_tells_nothing_of_the_environment
        holder = Object.new
        holder.instance_variable_set(:@env, { "TOKEN" => "secret-7" })
        code, text = told(assert_raises(NameError) { holder.instance_eval("no_such_thing", __FILE__, __LINE__) })

        assert_equal 1, code
        assert_match(/^error: this is a bug in Spate .*NameError: undefined local variable or method .no_such_thing/,
                     text)
        refute_includes text, "secret-7"
        assert_match(/^hint: /, text)
      end

      # A file's name may be any bytes.
      def test_a_bug_whose_message_is_no_text
        code, text = told(RuntimeError.new("no caf\xE9 here"))

        assert_equal 1, code
        assert_match(/RuntimeError: no caf\? here$/, text)
      end
    end
  end
end
