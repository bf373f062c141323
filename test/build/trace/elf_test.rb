# frozen_string_literal: true

require "test_helper"

module Spate
  # Build::Trace::Elf reads the same needed libraries as readelf. The real compiler builds the shared libraries.
  class ElfTest < Minitest::Test
    def library(name, source, *flags)
      write("#{name}.c", source)
      path = File.join(folder, "#{name}.so")
      assert system("cc", "-shared", "-fPIC", "-g", "-o", path, "#{folder}/#{name}.c", *flags, out: File::NULL)
      path
    end

    def test_needed_libraries
      path = library("one", "#include <math.h>\ndouble f(double x) { return cos(x); }\n", "-Wl,--no-as-needed", "-lm")

      assert_includes Build::Trace::Elf.read(path).needed, "libm.so.6"
    end

    def test_needed_libraries_equal_those_of_readelf
      Dir.glob("#{RbConfig::CONFIG["rubyarchdir"]}/*.so").first(20).each do |path|
        expected = IO.popen(["readelf", "-d", path], &:read).scan(/\(NEEDED\).*\[(.*)\]/).flatten

        assert_equal expected, Build::Trace::Elf.read(path).needed, path
      end
    end

    def test_debug_sections_are_ignored
      path = library("two", "const char *where(void) { return \"/in/the/program\"; }\n")
      elf = Build::Trace::Elf.read(path)

      assert elf.mapped?(%r{/in/the/program}n)
      assert_includes File.binread(path), folder, "the debug section names the folder"
      refute elf.mapped?(Regexp.new(Regexp.escape(folder)))
    end

    def test_files_that_cannot_be_loaded
      assert_nil Build::Trace::Elf.read(write("text", "\x7FELF but not really"))
      assert_nil Build::Trace::Elf.read(write("empty", ""))
      assert_nil Build::Trace::Elf.read(File.join(folder, "missing"))
      write("three.c", "int x;\n")
      assert system("cc", "-c", "-o", "#{folder}/three.o", "#{folder}/three.c")
      refute Build::Trace::Elf.read("#{folder}/three.o").mapped?(//)
    end

    def test_truncated_file_raises_no_error
      bytes = File.binread(library("four", "int f(void) { return 1; }\n"))
      [20, 64, 100, 300, 600, bytes.size / 2].each do |length|
        elf = Build::Trace::Elf.read(write("cut", bytes[0, length]))
        elf&.needed
        elf&.mapped?(/x/n)
      end
    end
  end
end
