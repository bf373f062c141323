# frozen_string_literal: true

require "test_helper"
require "open3"
require "spate/bytes"

module Spate
  # spate/bytes/compat/arraybuffer has the same results as the gem arraybuffer 0.0.7, without its memory errors.
  class BytesCompatTest < Minitest::Test
    # A program for both libraries. Each line prints an operation and its result.
    PROGRAM = <<~'RUBY'
      def show(text) = puts("#{text} => #{begin; eval(text).inspect; rescue StandardError => e; "#{e.class}: #{e.message}"; end}")
      $b = ArrayBuffer.new(8)
      $v = DataView.new($b, 1, 6, endianess: :little)
      $w = DataView.new($b)
      (0..7).each { |i| $b[i] = 250 + i * 3 }
      ["$b.size", "$b.length", "$b.to_a", "$b[-1]", "$b[8]", "$b[-9]", "($b[0] = 300).to_s", "$b[0]", "$b[0] = -1", "$b['x']",
       "$b.each", "$b.bytes", "$b.bytes.encoding.to_s", "$b.map { |x| x + 1 }", "$b.realloc(10).size", "$b.realloc(8).size",
       "$v.size", "$v.offset", "$v.endianess", "$w.endianess", "$v.to_a", "$v.to_s", "$w.to_s",
       *[8, 16, 24, 32].flat_map { |n| ["$v.getU#{n}(0)", "$w.getU#{n}(1)", "$v.getU#{n}(-1)", "$w.getU#{n}(7)", "$v.getU#{n}(6)"] },
       *[8, 16, 24, 32].flat_map { |n| ["$v.setU#{n}(0, 77).equal?($v)", "$v.setU#{n}(1, -5).getU#{n}(1)",
                                        "$w.setU#{n}(0, 2**30).getU#{n}(0)", "$w.setU#{n}(0, 2**70)", "$w.setU#{n}(9, 1)"] },
       "$w.getBit(0)", "$w.getBit(8)", "$w.getBit(-1)", "$w.getBit(64)", "$v.setBytes(0, 'abc').equal?($v)", "$b.bytes",
       "$v.setBytes(1, [1, -2, 300]).to_s", "DataView.new(ArrayBuffer.new(4)).setBytes(0, [1, nil])", "$v.setBytes(0, 5)", "begin; $v.setBytes(0, 'x' * 9); rescue ArgumentError; 1; end",
       "$w.setBytes(2, ArrayBuffer.new(2)).to_s", "$w.setBytes(2, DataView.new($b, 0, 2)).to_s",
       "($v.offset = 3; $v.offset)", "($v.offset = -2; $v.offset)", "($v.offset = -20)", "($v.size = 2; $v.size)", "($v.size = -3; $v.size)",
       "DataView.new($b, -4).getU8(0)", "DataView.new($b, -40)", "DataView.new($b, 0, -2).size", "DataView.new($b, endianess: :middle)",
       "DataView.new($b, endianess: 'big')", "$v.each", "ArrayBuffer.new", "ArrayBuffer.new(0).bytes"].each { |text| show(text) }
    RUBY

    def run_with(*options)
      lib = File.expand_path("../../lib", __dir__)
      out, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I#{lib}", *options, "-e", PROGRAM)
      assert_predicate status, :success?, out
      out
    end

    # Installs the gem arraybuffer from the configured gem source. Returns the folders for the load path.
    def gem_folder
      Dir.chdir(folder) do
        out, status = Open3.capture2e(Gem.ruby, "-S", "gem", "install", "arraybuffer", "-v", "0.0.7", "--no-document",
                                      "-i", folder)
        skip "the gem arraybuffer cannot be installed here: #{out.lines.last}" unless status.success?
      end
      [File.join(folder, "gems/arraybuffer-0.0.7/lib"), *Dir[File.join(folder, "extensions/*/*/arraybuffer-0.0.7")]]
    end

    # Ruby's own conversion errors differ between Ruby versions. Everything else is identical.
    def test_results_equal_those_of_the_gem
      theirs = run_with(*gem_folder.map { |path| "-I#{path}" }, "-rarraybuffer")
      ours = run_with("-rspate/bytes/compat/arraybuffer")
      assert_equal theirs.lines, ours.lines
      assert_operator ours.lines.length, :>, 80
    end

    # As in the gem. A view that extends beyond the buffer shows the bytes that exist.
    def test_views_show_a_memory_view
      require "fiddle"
      buffer = Compat::ArrayBuffer.new(6)
      view = Compat::DataView.new(buffer, 1, 3)
      view.setBytes(0, "abc")
      shown = Fiddle::MemoryView.new(view)
      assert_equal [3, 1, "abc", false], [shown.byte_size, shown.item_size, shown.to_s, shown.readonly?]
      assert_raises(TypeError) { buffer.realloc(100) }
      shown.release
      assert_equal "abc", ArrayBuffer.from_memory_view(view).to_s
      assert_equal 2, Fiddle::MemoryView.new(Compat::DataView.new(buffer, 4, 9)).byte_size
      assert_raises(ArgumentError) { Fiddle::MemoryView.new(Compat::DataView.new(buffer, 6, 9)) }
      buffer.freeze
      assert_predicate Fiddle::MemoryView.new(view), :readonly?
    end

    def test_memory_errors_of_the_gem_do_not_occur
      buffer = Compat::ArrayBuffer.new(4)
      assert_equal "\0\0", Compat::DataView.new(buffer, 2, 100).to_s, "reads past no end"
      bytes = buffer.bytes
      bytes << "x" * 100_000
      buffer[0] = 7
      assert_equal [7, 0, 0, 0], buffer.to_a, "its memory does not grow"
      assert_raises(TypeError) { buffer.send(:initialize, 9) }
      assert_equal [7, 0, 0, 0], buffer.dup.to_a, "a copy has the bytes"
      assert_raises(TypeError) { Compat::DataView.allocate.getU8(0) }
      assert_raises(TypeError) { Compat::DataView.new("abc") }
      view = Compat::DataView.new(buffer)
      buffer.realloc(1)
      assert_raises(ArgumentError) { view.getU8(1) }
      assert_equal "\x07", view.to_s
      assert_equal "ab", Compat::DataView.new(Compat::ArrayBuffer.new(2)).setBytes(0, "ab").to_s, "to the last byte"
    end

    def test_cannot_be_loaded_together_with_the_gem
      lib = File.expand_path("../../lib", __dir__)
      out, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I#{lib}", "-e",
                                    "class ArrayBuffer; end; require 'spate/bytes/compat/arraybuffer'")
      refute_predicate status, :success?
      assert_match(/the gem arraybuffer is loaded already/, out)
    end
  end
end
