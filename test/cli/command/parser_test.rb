# frozen_string_literal: true

require "cli/cli_case"

class ParserTest < CLICase
  def parse(*argv) = Spate::CLI::Command::Parser.new(Spate::CLI::Install.options).parse(argv)

  def test_values_follow_their_option_or_are_attached
    [%w[--jobs 3], %w[--jobs=3], %w[-j 3], %w[-j3], %w[-j=3]].each do |argv|
      assert_equal [{ jobs: 3 }, []], parse(*argv), argv
    end
  end

  def test_switches
    assert_equal [{ copy: true, quiet: true }, []], parse("--copy", "-q")
    assert_equal [{ color: false }, []], parse("--no-color")
    assert_equal [{ color: true }, []], parse("--no-color", "--color")
  end

  def test_lists_take_words_up_to_the_next_option_and_split
    assert_equal [{ without: %w[a b c d], copy: true }, []], parse("--without", "a:b", "c,d", "--copy")
    assert_equal [{ without: %w[a b] }, []], parse("--without=a", "--without", "b")
  end

  def test_operands
    assert_equal [{ copy: true }, %w[a - b]], parse("a", "-", "--copy", "b")
    assert_equal [{}, %w[a --copy]], parse("a", "--", "--copy")
  end

  def test_mistakes_are_reported
    { %w[--jobs] => "--jobs needs a value", %w[--jobs --copy] => "--jobs needs a value",
      %w[-j x] => "-j expects a whole number of at least 1, got \"x\"",
      %w[--jobs=0] => "--jobs expects a whole number of at least 1, got \"0\"",
      %w[--retry x] => "--retry expects a whole number, got \"x\"",
      %w[--copy=yes] => "--copy takes no value, got \"yes\"",
      %w[--frozen=3] => "--frozen takes no value, got \"3\"",
      %w[--without] => "--without needs at least one name", %w[-x] => "unknown option -x" }.each do |argv, message|
      error = assert_raises(Spate::UsageError) { parse(*argv) }
      assert_equal message, error.message
      assert error.hint || argv == %w[-x], "no hint: #{message}"
    end
  end

  def test_typo_gets_a_suggestion
    { "--frozne" => "--frozen", "--job" => "--jobs", "--no-colour" => "--no-color" }.each do |wrong, right|
      assert_equal "did you mean #{right}?", assert_raises(Spate::UsageError) { parse(wrong) }.hint
    end
    assert_nil assert_raises(Spate::UsageError) { parse("--elephant") }.hint
  end
end
