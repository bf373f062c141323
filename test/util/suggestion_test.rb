# frozen_string_literal: true

require "cli/cli_case"

class SuggestionTest < CLICase
  def test_distance_counts_letters_that_differ
    { ["", ""] => 0, ["", "abc"] => 3, %w[abc abc] => 0, %w[kitten sitting] => 3, %w[instal install] => 1,
      %w[frozne frozen] => 1, %w[ab ba] => 1, %w[abc acx] => 2 }.each do |(from, to), distance|
      assert_equal distance, Spate::Util::Suggestion.distance(from, to), "#{from} #{to}"
      assert_equal distance, Spate::Util::Suggestion.distance(to, from), "#{to} #{from}"
    end
  end

  def test_only_similar_words_are_suggested
    assert_equal "install", Spate::Util::Suggestion.near("intsall", %w[list install check])
    assert_nil Spate::Util::Suggestion.near("elephant", %w[list install check])
    assert_nil Spate::Util::Suggestion.near("x", [])
  end
end
