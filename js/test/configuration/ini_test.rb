# frozen_string_literal: true

require "npm_modules"

# Configuration::Ini parses .npmrc like npm's own parser.
class JSIniTest < Minitest::Test
  include NpmModules

  Ini = Spate::JS::Configuration::Ini

  def test_parses_each_kind_of_line
    text = "\uFEFFa = 1\r\n; b = 2\n# c = 3\nd\ne=\n=f\n  g = h ; i\nj = k\\;l\\#m\\n # n\n" \
           "o = \"p \\u00e9 ; q\"\nr = ' s '\nt = true\nu = null\n" \
           "v[] = 1\nv[] = 2\nv = 3\nw = 1\nw[] = 2\n__proto__ = x\ny = '7'\nz = \"{}\"\n"

    assert_equal({ "a" => "1", "d" => true, "e" => "", "g" => "h", "j" => "k;l#m\\n", "o" => "p é ; q", "r" => " s ",
                   "t" => true, "u" => nil, "v" => %w[1 2 3], "w" => %w[1 2], "y" => 7, "z" => "{}" }, Ini.parse(text))
  end

  def test_ignores_settings_in_sections
    assert_equal({ "a" => "1", "[other]" => true }, Ini.parse("a=1\n[other]\na=2\n[third] ; no\nb=3"))
  end

  PIECES = ["a", "b c", "key", "k[]", "[]", "=", " = ", " ", "\t", "\u00a0", "\uFEFF", ";", "#", "\\", "\\;", "\\\\",
            "'", "\"", "'x'", "\"y\"", "'1'", "\"1\"", "true", "false", "null", "'null'", "\"true\"", "1e3", "\"\\n\"",
            "\"\\q\"", "${X}", "//h/:_authToken", "é", "\u2028", "'[1", "'{}", "-", "''", "\"\"", ":"].freeze

  def test_parses_odd_lines_like_npm
    random = Random.new(20)
    texts = Array.new(3000) do
      Array.new(random.rand(1..3)) { line(random) }.join(random.rand(3).zero? ? "\r\n" : "\n")
    end
    found = node(<<~JS, texts)
      const ini = require(npm + "/node_modules/ini")
      answer(input.map((text) => { try { return ini.parse(text) } catch { return null } }))
    JS

    assert_operator found.compact.size, :>, 2500
    texts.zip(found) { |text, expected| assert_equal expected, Ini.parse(text), text.inspect if expected }
  end

  private

  # A random line that does not begin a section, because npm nests sections.
  def line(random)
    text = Array.new(random.rand(1..6)) { PIECES.sample(random: random) }.join
    text.start_with?("[") ? "k#{text}" : text
  end
end
