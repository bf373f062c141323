# frozen_string_literal: true

require_relative "../bare_helper"
require "open3"

# Limits wordings in comments, messages, docs and test names that usually need another sentence: see CONTRIBUTING,
# "Words". A single occurrence may be right. RATE is the number per 1,000 lines in well-written Ruby projects.
class ProseTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  RATE = 0.7
  RULES = {
    "is no X: use not a X, invalid X, not found" =>
      /\b(?:is|are|was|were|be) no (?!longer|more than|less|one\b|such file|need|way|op\b|-)[a-z]/,
    "name the actor: the caller, the user, another process" =>
      /\b(?:nobody|somebody|anybody|whoever|whomever|whatever|whichever|nothing of)\b/i,
    "a sentence whose subject is Who or What: name the subject" =>
      /(?:^|[#*] |[.;:] )(?:Who|What|Whose|Whom)\b(?! (?:is|are|does|do|happens|changed|to)\b)[^?]*$/,
    "tell: report, print, return, log, warn" =>
      /\b(?:tells?|told|telling) (?:of|who|what|that|whether|how|where|it|so)\b/i,
    "hear: trace, record, receive" => /\b(?:heard|hears?|hearing|unheard)\b/i,
    "a homely passive: query, report, treat as" =>
      /\b(?:it|which|that|he|they) (?:is|are) (?:asked|told|taken for|asked no more)\b/i,
    "archaic: again, from, so, otherwise, also" =>
      /\b(?:anew|thereby|whence|hence|lest|withal|thereupon|besides,|for so|all the same|as well as ever)\b/i,
    "lies in: is in, is stored in" => /\b(?:lies|lay|lie) (?:in|at|on|there|elsewhere|beside)\b/i,
    "stands on: depends on, is based on" => /\bstands? (?:on|in for|for|twice|there|above|below)\b/i,
    "a vague verb: name the operation" => /\b(?:makes?|made) (?:of it|room for|whole|good)\b/i,
    "put right: fix, restore" => /\bput(?:s|ting)? (?:right|in order)\b/i,
    "test name: subject_does_x_when_y" => /\bdef test_(?:what|who|whose|so|nothing|nobody|whatever|where|as)_/
  }.freeze
  SOURCE = %r{\.(?:rb|c|h|md|rake|gemspec|yml|js|ru|txt)\z|(?:\A|/)(?:bin|exe)/[^./]+\z}
  TEXT = /\.(?:md|txt)\z/
  COMMENT = %r{(?:#(?!\{)|/\*|\* |//)\s.*}
  MESSAGE = /"((?:[^"\\]|\\.){12,})"/
  # Files with these wordings as examples.
  SELF = %w[test/house/prose_test.rb CONTRIBUTING.md].freeze

  def test_rate_of_odd_wordings
    lines = 0
    found = paths.flat_map do |path|
      text = File.foreach("#{ROOT}/#{path}", encoding: "UTF-8").map(&:scrub)
      lines += text.size
      text.each.with_index(1).flat_map do |line, number|
        flags(prose(path, line)).map do |why|
          "#{path}:#{number}: #{why}"
        end
      end
    end

    assert_operator found.size * 1000.0 / lines, :<=, RATE, found.join("\n")
  end

  def test_examples_of_contributing
    table = File.read("#{ROOT}/CONTRIBUTING.md", encoding: "UTF-8")[/^\| not \| but \|\n\|---\|---\|\n((?:\|.*\n)+)/, 1]
    pairs = table.lines.map { |row| row.split("|").map(&:strip).reject(&:empty?) }

    assert_operator pairs.size, :>=, 5
    pairs.each do |before, after|
      refute_empty flags("# #{before}"), before
      assert_empty flags("# #{after}"), after
    end
  end

  private

  def flags(text) = RULES.filter_map { |why, rule| why if rule.match?(text) }

  # The parts of a line that are prose: comments and messages.
  def prose(path, line)
    return line if TEXT.match?(path) || line.match?(/\bdef test_/)

    [line[COMMENT], *line.scan(MESSAGE).flatten].compact.join(" | ")
  end

  def paths
    said, status = Open3.capture2("git", "-C", ROOT, "ls-files")
    skip "no git checkout" unless status.success?
    said.lines(chomp: true).grep(SOURCE) - SELF
  end
end
