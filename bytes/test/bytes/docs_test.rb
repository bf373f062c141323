# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  # The examples of docs/bytes.md: what stands behind `# =>` comes out.
  class BytesDocsTest < Minitest::Test
    PAGE = File.expand_path("../../docs/bytes.md", __dir__)

    def test_examples
      checked = File.read(PAGE).scan(/^```ruby\n(.*?)^```/m).sum { |(example)| run_example(example) }
      assert_operator checked, :>, 25
    end

    def run_example(example)
      scope = Object.new.instance_eval { binding }
      example.lines.count do |line|
        code, expected = line.split("# =>", 2)
        value = scope.eval(code, PAGE)
        assert_equal scope.eval(expected), value, line if expected
        expected
      end
    end
  end
end
