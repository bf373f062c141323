# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # RubyGems behaves the same whether Ruby loads it or Spate loads it later from the compile cache.
  class PreludeTest < ExecCase
    ASKS = <<~'RUBY'
      p Gem::VERSION, Gem.loaded_specs.keys.sort, NameError.ancestors.map(&:to_s), KeyError.ancestors.map(&:to_s)
      p Gem.path, Gem::Specification.map(&:full_name).sort, Gem.respond_to?(:find_unresolved_default_spec)
      p method(:require).owner, method(:gem).owner, Kernel.private_method_defined?(:gem_original_require)
      p Gem.find_unresolved_default_spec("set")&.name, Gem.instance_variable_get(:@path_to_default_spec_map).keys.sort
      p Gem::Specification.method(:load_defaults).source_location
    RUBY

    def test_a_program_finds_the_same_rubygems
      (expected,), (found,) = both(ASKS)
      assert_equal expected, found
      build
      (expected,), (found,) = both(ASKS)
      assert_equal expected, found
      assert_equal true, parts["lean"]
    end

    def test_table_of_default_gems_is_read_on_first_use
      build
      size = "Gem.instance_variable_get(:@path_to_default_spec_map).size"
      program = "a = #{size}; Gem.find_unresolved_default_spec('set'); p a < 200, #{size} > 2 * a"
      assert_equal "true\ntrue\n", spate_exec("ruby", "-e", program).first
    end

    def test_ruby_loads_rubygems_when_switched_off
      build
      (expected,), (found,) = both(ASKS, SPATE_LEAN: "0")
      assert_equal expected, found
    end

    def test_few_files_are_loaded_before_the_program
      build
      output, = spate_exec("ruby", "-e", "puts $LOADED_FEATURES")
      ours = output.lines(chomp: true).grep(%r{\A#{Regexp.escape(File.expand_path("../../..", __dir__))}/})
      assert_operator ours.length, :<=, 45, ours.join("\n")
      heavy = %w[bundler psych json set fileutils tempfile digest open3 uri time optparse net/http openssl yaml]
      plain = `#{RbConfig.ruby} -e 'puts $LOADED_FEATURES'`.lines(chomp: true)
      more = (output.lines(chomp: true) - plain).grep_v(%r{/bundler/}) # added by the Bundler replay
      loaded = heavy.select { |name| more.any? { |path| path.end_with?("/#{name}.rb") } }
      assert_equal %w[bundler], loaded
    end
  end
end
