# frozen_string_literal: true

require "test_helper"

module Spate
  class PnpmYamlTest < Minitest::Test
    def test_reads_yaml_that_pnpm_writes
      text = "a:\n  '@b/c@1.0.0': {cpu: [x64], optional: true}\n  d: '9.0'\n  e: 1.10\n  f: null\n"

      assert_equal({ "a" => { "@b/c@1.0.0" => { "cpu" => ["x64"], "optional" => true }, "d" => "9.0", "e" => "1.10",
                              "f" => nil } }, mapping(text))
    end

    def test_has_several_documents
      assert_equal [{ "a" => "1" }, { "b" => "2" }], JS::Pnpm::Yaml.documents("---\na: 1\n---\nb: 2\n", "x")
    end

    def test_handwritten_aliases
      text = "a: &x [1, &y b]\nc: *x\n*y : &z {d: *y, e: 1}\nf: {<<: *z, e: 2}\ng:\n  h: 3\n  <<: [{e: 4}, *z]\n"

      assert_equal({ "a" => %w[1 b], "c" => %w[1 b], "b" => { "d" => "b", "e" => "1" },
                     "f" => { "d" => "b", "e" => "2" }, "g" => { "h" => "3", "d" => "b", "e" => "4" } }, mapping(text))
    end

    def test_refuses_other_yaml
      ["a: !ruby/object:Object {}", "a: !!binary aGk=", "a: 1\na: 2", "a: *x", "a: &x [*x]", "a: &x {<<: *x}", "<<: 1",
       "<<: [a]", "a: &x 1\n<<: *x"].each do |text|
        error = assert_raises(JS::LockfileError, text) { mapping(text) }

        assert_match(/\Apnpm-lock.yaml: /, error.message)
      end
    end

    def test_refuses_aliases_that_expand_to_billions
      lists = (1..30).map { |at| "a#{at}: &a#{at} [#{(["*a#{at - 1}"] * 9).join(", ")}]\n" }.join
      mappings = (1..30).map { |at| "a#{at}: &a#{at} {b: *a#{at - 1}, c: *a#{at - 1}}\n" }.join
      [lists, mappings].each do |text|
        error = assert_raises(JS::LockfileError) { mapping("a0: &a0 [x]\n#{text}") }

        assert_equal "pnpm-lock.yaml: aliases expand to more than 100000 values", error.message
      end
    end

    def test_refuses_deep_nesting
      assert_raises(JS::LockfileError) { mapping("[" * 100_000) }
    end

    def test_invalid_yaml_is_an_error_with_its_place
      assert_match(/pnpm-lock.yaml: .*line 2/, assert_raises(JS::LockfileError) { mapping("a: [") }.message)
      assert_raises(JS::LockfileError) { mapping("- a") }
    end

    private

    def mapping(text) = JS::Pnpm::Yaml.mapping(text, "pnpm-lock.yaml")
  end
end
