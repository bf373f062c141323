# frozen_string_literal: true

require "test_helper"

module Spate
  class WordsTest < Minitest::Test
    def words(text, path = "script") = Build::Trace::Words.of([write(path, text)])

    def test_word_boundaries_of_names
      found = words("echo $FOO_DIR \"PRE_\#{x}\" ${x}_HOME lower small_one _X\xFF")
      %w[FOO_DIR PRE_ANYTHING OTHER_HOME lower SMALL_ONE].each { |name| assert found.mention?(name), name }
      %w[FOO FOO_ DIR HOME PR ANY_X PREFIX LOWER].each { |name| refute found.mention?(name), name }
      assert found.mention?("X"), "a letter"
    end

    def test_comments_do_not_count_as_mentions
      ["  # works in FOO\n", "#!/bin/FOO\n", "## FOO\n"].each { |text| refute words(text).mention?("FOO"), text }
      ["if FOO # and so on\n", "#define FOO\n", "\#{FOO}\n", "# ${FOO}\n", "# ${x:-$FOO}",
       "# {get('FOO')}"].each do |text|
        assert words(text).mention?("FOO"), text
      end
    end

    def test_data_files_are_texts_and_sources_are_not
      assert words("\0FOO\0").mention?("FOO")
      refute words("getenv(\"FOO\")", "a.c").mention?("FOO")
      assert_equal [true, false], %w[build.rs lib.rs].map { |path| words("vars(\"FOO\")", path).mention?("FOO") }
      assert words("make's own", "a.m").mention?("own")
      refute words("\x7FELF\0FOO\0environ\0").mention?("FOO"), "who runs it tells"
      refute Build::Trace::Words.of(["#{folder}/gone", folder]).mention?("FOO")
    end

    def test_programs
      searches = write("a", "\0FOO\0_TAIL\0lower\0__environ\0")
      asks = write("b", "\0FOO\0getenv\0")
      found = Build::Trace::Words.of([], programs: [searches])
      assert_equal [true, false, false], %w[FOO SOME_TAIL lower].map { |name| found.mention?(name) }
      refute Build::Trace::Words.of([], programs: [asks]).mention?("FOO")
      assert Build::Trace::Words.of([], programs: [asks], untraced: [asks]).mention?("FOO")
    end

    def test_everyday_words
      found = words("our CI runs it")
      refute found.mention?("CI")
      assert found.contain?("CI")
      ["test -n \"$CI\"", "$(CI)", "${CI:-}"].each { |text| assert words(text).mention?("CI"), text }
    end

    def test_words_round_trip_as_text
      found = words((1..500).map { |number| "NAME_#{number}" }.join(" "))
      kept = Build::Trace::Words.parse(found.to_s)
      assert_equal [500, 500], [found.size, kept.size]
      assert kept.mention?("NAME_77")
      refute kept.mention?("NAME_501")
      assert_operator found.to_s.size, :<, 500 * 6
      refute Build::Trace::Words.parse(nil).mention?("ANY")
    end
  end
end
