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
      assert_equal %w[pg_config], inputs.programs
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
    end
  end
end
