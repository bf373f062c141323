# frozen_string_literal: true

require_relative "boot_case"
require "coverage"

module Spate
  # Cases in which the loader leaves a file to Ruby or to another cache, each in a separate Ruby.
  class AsideTest < BootCase
    def setup
      super
      @path = source("a.rb")
      made = cache(file(@path))
      Loader.reset
      @start = "Loader.install; Loader.add(CompileCache.open(#{made.path.dump}, key: KEY)); A = #{@path.dump}\n"
    end

    def test_coverage_sees_what_ruby_compiles
      output = ruby("#{@start}require 'coverage'\n#{<<~RUBY}")
        Coverage.start
        load A
        p $from, Coverage.result.keys, Loader.counts[:hit]
        load A
        p $from
        Coverage.respond_to?(:setup) or exit
        Coverage.setup
        load A
        p $from
        Coverage.resume
        Coverage.result
        load A
        p $from
      RUBY

      expected = [":disk", [@path].inspect, "0", ":compile_cache"]
      expected += [":disk", ":compile_cache"] if Coverage.respond_to?(:setup)
      assert_equal expected, output.lines(chomp: true)
    end

    def test_other_compile_options_get_code_that_ruby_compiles
      output = ruby("#{@start}#{<<~RUBY}")
        load A
        p $from
        before = ISEQ.compile_option
        ISEQ.compile_option = { tailcall_optimization: true }
        load A
        p $from
        ISEQ.compile_option = before
        load A
        p $from
      RUBY

      assert_equal %w[:compile_cache :disk :compile_cache], output.split
    end

    def test_another_ractor_gets_nil
      output = ruby("#{@start}r = Ractor.new(A) { |path| RubyVM::InstructionSequence.load_iseq(path).inspect }\n" \
                    "puts r.respond_to?(:value) ? r.value : r.take\nload A\np $from")

      assert_equal %w[nil :compile_cache], output.split
    end

    def test_boxes
      output = ruby("p Loader.install", env: { "RUBY_BOX" => "1" })

      assert_equal "false", output.lines.last.strip
    end

    def test_child_continues_from_the_state_of_its_parent
      output = ruby("#{@start}#{<<~RUBY}")
        load A
        child = fork do
          load A
          p $from, Loader.counts[:hit]
        end
        Process.wait(child)
        p $?.success?, Loader.counts[:hit]
      RUBY

      assert_equal %w[:compile_cache 2 true 1], output.split
    end

    # Other caches define a method of the class, or prepend a module that does not call super.
    def test_earlier_cache_is_called_after_a_miss
      other = source("b.rb")
      definitions = ["def ISEQ.load_iseq(path) = ($asked = path; nil)",
                     "ISEQ.singleton_class.prepend(Module.new { def load_iseq(path) = ($asked = path; nil) })"]
      definitions.each do |definition|
        output = ruby("#{definition}\n#{@start}Loader.install; load A; p $asked; load #{other.dump}; p $asked\n" \
                      "Loader.enabled = false; load A; p $asked, $from")

        assert_equal ["nil", other.inspect, @path.inspect, ":disk"], output.split
      end
    end

    def test_later_cache_below_is_called_too
      output = ruby("#{@start}def ISEQ.load_iseq(path) = ISEQ.compile('$from = :other', path)\n" \
                    "load #{source("b.rb").dump}; p $from; load A; p $from")

      assert_equal %w[:other :compile_cache], output.split
    end

    def test_invalid_result_of_the_later_cache_is_ignored
      output = ruby("def ISEQ.load_iseq(path) = :nonsense\n#{@start}load #{source("b.rb").dump}; p $from")

      assert_equal ":disk", output.strip
    end

    def test_it_can_be_installed_twice
      output = ruby("#{@start}p Loader.install; p ISEQ.singleton_class.ancestors.count(Loader::Hook); load A; p $from")

      assert_equal %w[true 1 :compile_cache], output.split
    end

    def test_it_loads_no_file_of_rubygems
      output = ruby("#{@start}load A\np $from, defined?(Gem), $LOADED_FEATURES.grep(/rubygems|bundler/)",
                    "--disable-gems")

      assert_equal [":compile_cache", "nil", "[]"], output.split
    end
  end
end
