# frozen_string_literal: true

require "test_helper"
require "json"

class JSReadingFaultTest < Minitest::Test
  FAULTS = {
    "{\"a\":1,\n\"b\":[1, {\"c\":-1.5e3,}]}" => "line 2, at `}]}`",
    "{\"a\": 1\n\n\"c\": 2}" => "line 3, at `\"c\": 2}`",
    "{\"a\": tru}" => "line 1, at `tru}`", "{\"a\": [1\n}" => "line 2, at `}`", "[1, 2]]" => "line 1, at `]`",
    "{\n  \"ü\": 'x'\n}\n" => "line 2, at `'x'`", "{\"a\": \"b\nc\"}" => "line 1, at `\"b`",
    "[,1]" => "line 1, at `,1]`",
    "{\"a\":{}\n" => "line 2, at the end of the file", "" => "line 1, at the end of the file",
    "<<<<<<< HEAD\n{}" => "line 1, at `<<<<<<< HEAD`", "{\"a\" 1}" => "line 1, at `1}`"
  }.freeze

  def test_reports_the_line
    FAULTS.each do |text, words|
      error = assert_raises(JSON::ParserError, text) { JSON.parse(text) }
      assert_equal words, Spate::JS::Reading::Fault.words(text, error), text
    end
  end

  def test_valid_json_has_no_fault
    ["{\"a\":[1,-2.5e+3,true,null,\"\\\"\\u00fc\",{}],\"b\":{\"c\":[]}}\n", " 7 ", "[[[]]]"].each do |text|
      assert_equal "deep", Spate::JS::Reading::Fault.words(text, JSON::NestingError.new("deep")), text
    end
  end
end
