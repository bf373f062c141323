# frozen_string_literal: true

require "test_helper"
require "spate/bytes"

module Spate
  # The results of the examples in docs/bytes.md and README.md are those written after `# =>`.
  class BytesDocsTest < Minitest::Test
    ROOT = File.expand_path("../..", __dir__)

    def test_examples
      assert_operator results("docs/bytes.md"), :>, 25
      assert_equal 2, results("README.md")
    end

    # Runs the examples of a page, and returns how many results were compared.
    def results(name)
      page = File.join(ROOT, name)
      File.read(page, encoding: "UTF-8").scan(/^```ruby\n(.*?)^```/m).sum { |(example)| run_example(example, page) }
    end

    def run_example(example, page)
      scope = Object.new.instance_eval { binding }
      example.lines.count do |line|
        code, expected = line.split("# =>", 2)
        value = scope.eval(code, page)
        assert_equal scope.eval(expected), value, line if expected
        expected
      end
    end
  end
end
