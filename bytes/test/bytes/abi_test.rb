# frozen_string_literal: true

require "test_helper"
require "open3"
require "spate/bytes"

module Spate
  # An extension that the test compiles accesses the bytes of a buffer through the functions of spate_bytes_abi.
  class BytesAbiTest < Minitest::Test
    SOURCE = <<~C
      #include <spate/bytes.h>
      static const spate_bytes_abi *abi;
      static VALUE upcase(VALUE self, VALUE object) {
          size_t length;
          uint8_t *bytes = abi->pin(object, &length, true);
          for (size_t i = 0; i < length; i++)
              bytes[i] &= 0xdf;
          abi->unpin(object);
          return SIZET2NUM(length);
      }
      static VALUE hold(VALUE self, VALUE object) {
          size_t length;
          abi->pin(object, &length, false);
          return Qnil;
      }
      static VALUE grow(VALUE self, VALUE object, VALUE length) {
          abi->resize(object, NUM2SIZET(length));
          return abi->has_bytes(object) ? Qtrue : Qfalse;
      }
      static VALUE make(VALUE self, VALUE length) {
          return abi->create(NUM2SIZET(length));
      }
      void Init_shout(void) {
          rb_require("spate/bytes");
          abi = spate_bytes_load();
          VALUE shout = rb_define_module("Shout");
          rb_define_singleton_method(shout, "upcase", upcase, 1);
          rb_define_singleton_method(shout, "hold", hold, 1);
          rb_define_singleton_method(shout, "grow", grow, 2);
          rb_define_singleton_method(shout, "make", make, 1);
      }
    C

    def compile(source)
      write("shout.c", source)
      write("extconf.rb", %(require "mkmf"; $INCFLAGS << " -I#{BYTES_INCLUDE}"; create_makefile("shout")))
      out, status = Open3.capture2e("#{RbConfig.ruby} extconf.rb && make", chdir: folder)
      assert_predicate status, :success?, out
    end

    def test_another_extension
      compile(SOURCE)
      require File.join(folder, "shout")
      buffer = ArrayBuffer.from("bytes of a buffer")
      assert_equal 5, Shout.upcase(DataView.new(buffer, 0, 5))
      assert_equal "BYTES of a buffer", buffer.to_s
      assert_raises(FrozenError) { Shout.upcase(buffer.dup.freeze) }
      assert_raises(TypeError) { Shout.upcase("a String") }
      assert_equal 3, Shout.make(3).byte_length
      resizable = ArrayBuffer.new(1, max_byte_length: 4)
      assert Shout.grow(resizable, 4)
      assert_raises(RangeError) { Shout.grow(resizable, 5) }
      Shout.hold(buffer)
      assert_raises(TypeError) { buffer.transfer }
    end

    def test_another_version_is_refused
      compile(SOURCE.sub("spate_bytes_load()", "spate_bytes_load_version(99)"))
      lib = File.expand_path("../../lib", __dir__)
      out, = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I#{lib}", "-e", "require '#{folder}/shout'")
      assert_match(%r{spate/bytes has ABI version 1 with \d+ bytes, expected version 99 with \d+ \(LoadError\)}, out)
    end
  end
end
