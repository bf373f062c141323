# frozen_string_literal: true

require "test_helper"
require "spate/zlib"

module Spate
  # The results of the examples in docs/zlib.md are those written after `# =>`.
  class ZlibDocsTest < Minitest::Test
    PAGE = File.expand_path("../../docs/zlib.md", __dir__)

    def test_examples
      scope = Object.new.instance_eval { binding }
      checked = File.read(PAGE, encoding: "UTF-8").scan(/^```ruby\n(.*?)^```/m).sum do |(example)|
        statements(example).count { |code, expected| check(scope, code, expected) }
      end
      assert_operator checked, :>, 15
    end

    # Splits an example into statements. A statement ends at the first line where it parses.
    def statements(example)
      code = +""
      example.lines.filter_map do |line|
        text, expected = line.split("# =>", 2)
        code << text
        next unless expected || complete?(code)

        [code, expected].tap { code = +"" }
      end
    end

    def complete?(code)
      RubyVM::InstructionSequence.compile(code)
      true
    rescue SyntaxError
      false
    end

    def check(scope, code, expected)
      value = scope.eval(code, PAGE)
      assert_equal scope.eval(expected), value, code if expected
      expected
    end

    # docs/zlib.md mentions every public method.
    def test_methods
      page = File.read(PAGE, encoding: "UTF-8")
      batch = %i[inflate_all deflate_all crc32_all each_inflated inflate deflate gzip gunzip crc32 adler32 identical=]
      gzip = Zlib::GzipReader.instance_methods(false) + Zlib::GzipWriter.instance_methods(false)
      gzip += Zlib::GzipFile.instance_methods(false) + Zlib::ZStream.instance_methods(false)
      synonyms = %i[eof end avail_out=]
      (batch + gzip - synonyms).each { |name| assert_includes page, name.to_s.delete_suffix("=") }
    end
  end
end
