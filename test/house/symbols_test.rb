# frozen_string_literal: true

require "test_helper"

# An extension shares its process with others, so it must export only its Init function.
class SymbolsTest < Minitest::Test
  LIBRARIES = Dir[File.expand_path("../../{,bytes/}lib/spate/native/*.so", __dir__)]
  # The library that is preloaded into other programs.
  HOOKS, EXTENSIONS = LIBRARIES.partition { |path| path.end_with?("_hooks.so") }
  # On other systems there is no tracer, and the hooks are empty: core/tracer/here.h.
  TRACED = RUBY_PLATFORM.match?(/\A(x86_64|aarch64)-linux/)

  def test_there_are_extensions
    refute_empty LIBRARIES, "run bin/compile first"
  end

  EXTENSIONS.each do |path|
    name = File.basename(path, ".so")
    define_method("test_#{name}_shows_only_its_init_function") { assert_equal ["Init_#{name}"], symbols(path) }
  end

  HOOKS.each do |path|
    define_method("test_#{File.basename(path, ".so")}_shows_only_what_libc_has") do
      assert_equal TRACED, symbols(path).any?
      assert_empty symbols(path) - symbols(libc)
    end

    # If the hooks needed the compiler's library (libgcc on ARM), each traced program would fail.
    define_method("test_#{File.basename(path, ".so")}_needs_only_what_libc_has") do
      needed = IO.popen(["nm", "--dynamic", "--undefined-only", path], &:readlines).grep(/ U /)

      refute_empty needed
      assert_empty names(needed) - symbols(libc)
    end
  end

  # Only the extension for installs may need libcrypto. A boot must never load it.
  (LIBRARIES.map { |path| File.basename(path, ".so") } - ["install"]).each do |name|
    define_method("test_#{name}_needs_no_libcrypto") do
      path = LIBRARIES.find { |library| File.basename(library, ".so") == name }

      refute_match(/libcrypto/, IO.popen(["ldd", path], &:read))
    end
  end

  private

  def libc = File.readlines("/proc/self/maps", chomp: true).filter_map { |line| line[%r{/\S*/libc[.-]\S*\z}] }.first

  def symbols(path)
    names = names(IO.popen(["nm", "--dynamic", "--defined-only", path], &:readlines))
    names.grep_v(/\A(_init|_fini|_edata|_end|__bss_start)\z/)
  end

  def names(lines) = lines.map { |line| line.split.last[/[^@]+/] }
end
