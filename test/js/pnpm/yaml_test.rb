# frozen_string_literal: true

require "test_helper"

module Spate
  class PnpmYamlTest < Minitest::Test
    def test_reads_what_pnpm_writes
      text = "a:\n  '@b/c@1.0.0': {cpu: [x64], optional: true}\n  d: '9.0'\n  e: 1.10\n  f: null\n"

      assert_equal({ "a" => { "@b/c@1.0.0" => { "cpu" => ["x64"], "optional" => true }, "d" => "9.0", "e" => "1.10",
                              "f" => nil } }, mapping(text))
    end

    def test_has_several_documents
      assert_equal [{ "a" => "1" }, { "b" => "2" }], JS::Pnpm::Yaml.documents("---\na: 1\n---\nb: 2\n", "x")
    end

    def test_refuses_what_makes_more_of_a_text_than_stands_there
      ["a: &x [1]\nb: *x", "a: &x 1", "a: !ruby/object:Object {}", "a: !!binary aGk=", "a: 1\na: 2"].each do |text|
        error = assert_raises(JS::LockfileError, text) { mapping(text) }

        assert_match(/\Apnpm-lock.yaml: /, error.message)
      end
    end

    def test_refuses_what_is_too_deep
      assert_raises(JS::LockfileError) { mapping("[" * 100_000) }
    end

    def test_names_what_is_no_yaml
      assert_match(/pnpm-lock.yaml: .*line 2/, assert_raises(JS::LockfileError) { mapping("a: [") }.message)
      assert_raises(JS::LockfileError) { mapping("- a") }
    end

    private

    def mapping(text) = JS::Pnpm::Yaml.mapping(text, "pnpm-lock.yaml")
  end
end
