# frozen_string_literal: true

require "test_helper"

module Spate
  # The README's example: what stands behind `# =>` comes out.
  class BytesReadmeTest < Minitest::Test
    README = File.expand_path("../README.md", __dir__)

    def test_the_example
      scope = Object.new.instance_eval { binding }
      checked = File.read(README, encoding: "UTF-8")[/^```ruby\n(.*?)^```/m, 1].lines.count do |line|
        code, expected = line.split("# =>", 2)
        value = scope.eval(code, README)
        assert_equal scope.eval(expected), value, line if expected
        expected
      end
      assert_equal 2, checked
    end
  end
end
