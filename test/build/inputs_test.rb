# frozen_string_literal: true

require_relative "build_case"
require "timeout"

module Spate
  class InputsTest < BuildCase
    EXTCONF = <<~'RUBY'
      require "mkmf"
      flags = ENV["FOO_FLAGS"] || ENV.fetch('BAR_DIR') { "." }
      abort if ENV.key?("BAZ")
      config = find_executable("pg_config")
      system("my-lib_config --libs")
      create_makefile("alpha/alpha")
    RUBY

    def test_names_are_found_in_every_build_file
      inputs = scan(EXTCONF, "ENV['rake']", "\xFF broken")

      assert_equal %w[BAR_DIR BAZ FOO_FLAGS rake], inputs.variables
      assert_equal %w[my-lib_config pg_config], inputs.programs
      refute inputs.rust
      assert scan("require 'rb_sys/mkmf'").rust
    end

    def test_they_are_read_from_the_store_or_the_folder_and_remembered
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => EXTCONF, "lib/other.rb" => "ENV['RUNTIME']" })
      sha256 = in_store(archive)
      inputs = of(sha256)

      assert_equal %w[BAR_DIR BAZ FOO_FLAGS], inputs.variables
      assert_equal inputs, Build::Inputs.parse(store.read("inputs", sha256))
      assert_equal inputs, of("0" * 64, Build::Files::Folder.new(File.join(folder, "source/alpha")))
    end

    def test_a_damaged_memory_is_none
      assert_nil Build::Inputs.parse(nil)
      assert_nil Build::Inputs.parse("inputs 0\n")
      assert_nil Build::Inputs.parse("inputs 3\nFOO\n")
    end

    def test_names_in_lists_and_other_languages
      texts = { "%w[FOO_A FOO_B].each { |n| $CFLAGS << ENV[n] }" => %w[FOO_A FOO_B],
                'ENV.values_at("ONE", "TWO")' => %w[ONE TWO], 'ENV.delete("GONE")' => %w[GONE],
                "KEYS = %w[A_B]" => [], 'ENV["PATH"]' => %w[PATH],
                'puts ENV.to_h, "HOME"' => [], 'std::env::var("R_DIR"); env::var_os( "S" ); env!("T")' => %w[R_DIR S T],
                'option_env!("U")' => %w[U], 'set(X "$ENV{CM_DIR}")' => %w[CM_DIR] }
      texts.each do |text, names|
        assert_equal names, scan(text).variables & (names | %w[A_B HOME]), text
      end
      assert_equal %w[ragel swig], scan('find_executable "swig"', "find_executable('ragel')").programs
      assert_equal %w[foo-config], scan("`foo-config --cflags`", "dir_config('foo')").programs
    end

    def test_what_cannot_be_read_is_not_remembered
      assert_empty of("1" * 64).variables
      assert_nil store.read("inputs", "1" * 64)
      sha256 = in_store(native_gem("alpha", { "ext/alpha/extconf.rb" => EXTCONF }))
      objects = Dir.glob("#{store.root}/objects/*/*")
      objects.each { |path| File.rename(path, "#{path}.aside") }
      of(sha256)
      assert_nil store.read("inputs", sha256)
      objects.each { |path| File.rename("#{path}.aside", path) }

      assert_includes of(sha256).variables, "FOO_FLAGS"
    end

    # A file's name says what it is read for; its place whether it is read.
    def test_files_that_the_configuration_loads
      files = { "ext/a/extconf.rb" => "require_relative '../../tool/one'\nrequire 'two'\nrequire \"base/x\"\n",
                "tool/one.rb" => "ENV['ONE']", "lib/two.rb" => "ENV['TWO']; require 'json'",
                "lib/not.rb" => "ENV['NOT']" }
      assert_equal %w[BASE ONE TWO], loaded(files)
      computed = { "ext/a/extconf.rb" => 'require File.expand_path("../../tool/one", __dir__)' }
      assert_equal %w[NOT ONE TWO], loaded(files.merge(computed))
      assert_equal %w[NOT ONE TWO], loaded(files.merge("ext/a/extconf.rb" => "require \"\#{x}/one\""))
      outside = { "ext/a/extconf.rb" => "require_relative '../../../b/lib/not'" }
      assert_empty loaded(files.merge(outside))
    end

    def test_what_make_and_shells_expand
      { "$(MY_FLAVOUR) ${OTHER:-x}" => %w[MY_FLAVOUR OTHER], "echo $FLAVOUR $1 $x" => %w[FLAVOUR], "$(HOME)" => [],
        "$(shell ls)" => %w[shell] }.each do |text, names|
        assert_equal names, Build::Inputs.scan([["ext/a/depend", text]]).variables, text
      end
    end

    def test_what_looks_at_the_processor
      { "ext/a/probe.sh" => true, "ext/a/extconf.rb" => true, "ext/a/cpu.c" => false }.each do |path, expected|
        assert_equal expected, Build::Inputs.scan([[path, "grep avx2 /proc/cpuinfo"]]).processor, path
      end
      assert Build::Inputs.scan([[".cargo/config.toml", 'rustflags = ["-C", "target-cpu=native"]']]).processor
    end

    # Minutes by a pattern that begins again at each word, or at each blank.
    def test_a_file_that_is_made_to_be_read_slowly
      ["autoload " * 116_000, "ENV.fetch#{" " * 1_000_000}"].each do |text|
        Timeout.timeout(60) { assert_empty loaded("ext/a/extconf.rb" => text) }
      end
    end

    private

    def scan(*texts) = Build::Inputs.scan(texts.map { |text| ["ext/alpha/extconf.rb", text] })

    def of(sha256, files = Build::Files::Package.new(store, store.package(sha256)))
      Build::Inputs.of(store, sha256, ["ext/alpha/extconf.rb"]) { [files] }
    end

    def loaded(files)
      FileUtils.rm_rf(File.join(folder, "gem"))
      files.each { |path, text| write("gem/#{path}", text) }
      write("base/lib/base/x.rb", "ENV['BASE']")
      own, base = %w[gem base].map { |name| Build::Files::Folder.new(File.join(folder, name)) }
      Build::Inputs.scan(Build::BuildFiles.new(own, %w[ext/a], [base]).to_enum).variables
    end
  end
end
