# frozen_string_literal: true

require "cli/cli_case"
require "json"

class JsonLinesTest < CLICase
  def test_output_can_be_parsed_as_json
    value = { event: :done, text: "a\"b\\c\n\t\r\u0001é\u2028\e[31m", list: [1, 2.5, nil, true, false, { "x" => [] }] }

    assert_equal JSON.parse(JSON.generate(value)), JSON.parse(Spate::Util::JsonLines.generate(value))
  end

  def test_one_event_is_one_line_without_controls
    out = StringIO.new
    Spate::Util::JsonLines.new(out).call(event: :message, text: "two\nlines\u009b\x7f")

    assert_equal 1, out.string.count("\n")
    assert_match(/\A[ -~]+\n\z/, out.string)
  end

  def test_invalid_bytes_and_numbers
    assert_equal "\"a\u{fffd}b\"", Spate::Util::JsonLines.generate("a\xFFb".b)
    assert_equal "null", Spate::Util::JsonLines.generate(Float::NAN)
  end
end
