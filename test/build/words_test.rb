# frozen_string_literal: true

require "test_helper"

module Spate
  class WordsTest < Minitest::Test
    def words(text, path = "script") = Build::Words.of([write(path, text)])

    def test_names_and_how_they_begin_and_end
      found = words("echo $FOO_DIR \"PRE_\#{x}\" ${x}_HOME lower _X\xFF")
      %w[FOO_DIR PRE_ANYTHING OTHER_HOME lower].each { |name| assert found.mention?(name), name }
      %w[FOO FOO_ DIR HOME PR ANY_X PREFIX].each { |name| refute found.mention?(name), name }
    end

    def test_comments_sources_and_data_say_nothing
      refute words("  # works in CI\n#CI\n").mention?("CI")
      assert words("if CI # and so on\n").mention?("CI")
      refute words("getenv(\"CI\")", "a.c").mention?("CI")
      refute words("\0CI").mention?("CI")
      refute Build::Words.of(["#{folder}/gone", folder]).mention?("CI")
    end

    def test_they_are_kept_as_text
      found = words((1..500).map { |number| "NAME_#{number}" }.join(" "))
      kept = Build::Words.parse(found.to_s)
      assert_equal [500, 500], [found.size, kept.size]
      assert kept.mention?("NAME_77")
      refute kept.mention?("NAME_501")
      assert_operator found.to_s.size, :<, 500 * 6
      refute Build::Words.parse(nil).mention?("ANY")
    end
  end
end
