# frozen_string_literal: true

require_relative "build_case"

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
      inputs = Build::Inputs.scan([EXTCONF, "ENV['rake']", "\xFF broken"])

      assert_equal %w[BAR_DIR BAZ FOO_FLAGS rake], inputs.variables
      assert_equal %w[my-lib_config pg_config], inputs.programs
      refute inputs.rust
      assert Build::Inputs.scan(["require 'rb_sys/mkmf'"]).rust
    end

    def test_they_are_read_from_the_store_or_the_folder_and_remembered
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => EXTCONF, "lib/other.rb" => "ENV['RUNTIME']" })
      sha256 = in_store(archive)
      inputs = Build::Inputs.of(store, sha256, ["ext/alpha/extconf.rb"])

      assert_equal %w[BAR_DIR BAZ FOO_FLAGS], inputs.variables
      assert_equal inputs, Build::Inputs.parse(store.read("inputs", sha256))
      source = File.join(folder, "source/alpha")
      assert_equal inputs, Build::Inputs.of(store, "0" * 64, ["ext/alpha/extconf.rb"], gem_dir: source)
    end

    def test_a_damaged_memory_is_none
      assert_nil Build::Inputs.parse(nil)
      assert_nil Build::Inputs.parse("inputs 0\n")
      assert_nil Build::Inputs.parse("inputs 2\nFOO\n")
    end

    def test_names_in_lists_and_other_languages
      texts = { "%w[FOO_A FOO_B].each { |n| $CFLAGS << ENV[n] }" => %w[FOO_A FOO_B],
                'ENV.values_at("ONE", "TWO")' => %w[ONE TWO], 'ENV.delete("GONE")' => %w[GONE],
                "KEYS = %w[A_B]" => [], 'ENV["PATH"]' => %w[PATH],
                'puts ENV.to_h, "HOME"' => [], 'std::env::var("R_DIR"); env::var_os( "S" ); env!("T")' => %w[R_DIR S T],
                'option_env!("U")' => %w[U], 'set(X "$ENV{CM_DIR}")' => %w[CM_DIR] }
      texts.each do |text, names|
        assert_equal names, Build::Inputs.scan([text]).variables & (names | %w[A_B HOME]), text
      end
      assert_equal %w[ragel swig], Build::Inputs.scan(['find_executable "swig"', "find_executable('ragel')"]).programs
      assert_equal %w[foo-config], Build::Inputs.scan(["`foo-config --cflags`", "dir_config('foo')"]).programs
    end

    def test_what_cannot_be_read_is_not_remembered
      assert_empty Build::Inputs.of(store, "1" * 64, ["ext/alpha/extconf.rb"]).variables
      assert_nil store.read("inputs", "1" * 64)
      sha256 = in_store(native_gem("alpha", { "ext/alpha/extconf.rb" => EXTCONF }))
      objects = Dir.glob("#{store.root}/objects/*/*")
      objects.each { |path| File.rename(path, "#{path}.aside") }
      Build::Inputs.of(store, sha256, ["ext/alpha/extconf.rb"])
      assert_nil store.read("inputs", sha256)
      objects.each { |path| File.rename("#{path}.aside", path) }

      assert_includes Build::Inputs.of(store, sha256, ["ext/alpha/extconf.rb"]).variables, "FOO_FLAGS"
    end
  end
end
