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
      refute words("  # works in FOO\n#FOO\n").mention?("FOO")
      assert words("if FOO # and so on\n").mention?("FOO")
      refute words("getenv(\"FOO\")", "a.c").mention?("FOO")
      refute words("\0FOO").mention?("FOO")
      refute Build::Words.of(["#{folder}/gone", folder]).mention?("FOO")
    end

    def test_everyday_words
      found = words("our CI runs it")
      refute found.mention?("CI")
      assert found.say?("CI")
      ["test -n \"$CI\"", "$(CI)", "${CI:-}"].each { |text| assert words(text).mention?("CI"), text }
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
