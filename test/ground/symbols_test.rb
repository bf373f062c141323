# frozen_string_literal: true

require "test_helper"

# An extension shares its process with every other one: it shows Ruby its Init function and nothing else.
class SymbolsTest < Minitest::Test
  LIBRARIES = Dir[File.expand_path("../../lib/spate/native/*.so", __dir__)]

  def test_there_are_extensions
    refute_empty LIBRARIES, "run bin/compile first"
  end

  LIBRARIES.each do |path|
    name = File.basename(path, ".so")
    define_method("test_#{name}_shows_only_its_init_function") do
      symbols = IO.popen(["nm", "--dynamic", "--defined-only", path], &:readlines).map { |line| line.split.last }

      assert_equal ["Init_#{name}"], symbols.grep_v(/\A(_init|_fini|_edata|_end|__bss_start)\z/)
    end
  end

  # A boot must never load libcrypto: only the extension that installs may need it.
  (LIBRARIES.map { |path| File.basename(path, ".so") } - ["install"]).each do |name|
    define_method("test_#{name}_needs_no_libcrypto") do
      path = LIBRARIES.find { |library| File.basename(library, ".so") == name }

      refute_match(/libcrypto/, IO.popen(["ldd", path], &:read))
    end
  end
end
