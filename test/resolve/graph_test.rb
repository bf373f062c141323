# frozen_string_literal: true

require "resolve/resolve_case"
require "json"

# The output of `spate why`, `tree` and `outdated`.
class GraphTest < ResolveCase
  def setup
    super
    source.add("base", "1.0")
    source.add("base", "1.1")
    source.add("tool", "1.0", dependencies: { "base" => "< 2" })
    @app = project("app", "source '#{source.url}'\ngem 'tool'\ngroup(:test) { gem 'leaf' }\n")
    source.add("leaf", "1.0", dependencies: { "base" => ">= 0", "tool" => ">= 0" })
    @app.lock
    %w[2.0 2.1.pre].each { |version| source.add("base", version) }
    source.add("leaf", "1.0.1", ruby: ">= 9")
    source.add("leaf", "1.1", platform: "java")
  end

  def test_why
    assert_equal <<~TEXT, @app.spate!("why", "base")
      base 1.1, from #{source.url}

      required by
        leaf 1.0 (>= 0)
        tool 1.0 (< 2)

      2.0 is newer, but excluded by tool 1.0 (< 2)
    TEXT
    assert_match(/^  Gemfile \(>= 0\)\n  leaf 1.0 \(>= 0\)\n\n1.0 is the newest version\n/, @app.spate!("why", "tool"))
    facts = JSON.parse(@app.spate!("why", "base", "--json"))
    assert_equal [%w[leaf base], ["tool"], "2.0"], facts.values_at("chain", "held_by", "newest")
  end

  def test_tree
    assert_equal "leaf 1.0\n  base 1.1\n  tool 1.0\n    base 1.1 (< 2)\ntool 1.0 ...\n", @app.spate!("tree")
    assert_equal "leaf 1.0\n  base 1.1\n  tool 1.0\n", @app.spate!("tree", "leaf", "--depth", "1")
    assert_equal 3, @app.spate!("tree", "--json").lines.size
    assert_equal 14, @app.spate("tree", "absent").last.exitstatus
  end

  # The columns are those of Bundler, which does not mention that a version is for a different Ruby.
  def test_outdated
    output, status = @app.spate("outdated")

    assert_equal 1, status.exitstatus
    assert_equal <<~TEXT, output
      Gem   Current  Latest             Requested  Groups
      base  1.1      2.0
      leaf  1.0      1.0.1 (Ruby >= 9)  >= 0       test
    TEXT
    [[], %w[--pre], %w[--only-explicit], %w[--filter-major], %w[--filter-patch], %w[base]].each do |options|
      assert_equal rows(@app.run("bundle", "outdated", *options).first),
                   rows(@app.spate("outdated", *options).first.gsub(/ \(Ruby.*?\)/, "")), options
    end
  end

  def test_outdated_after_a_release
    @app.spate("outdated")
    source.add("tool", "1.2")
    assert_match(/^tool +1.0 +1.2 /, @app.spate("outdated").first)
    before = source.requests.size
    @app.spate("outdated", "--local").then { |output, _| assert_match(/^tool/, output) }
    assert_equal before, source.requests.size
  end

  private

  # [[name, current, latest]]
  def rows(text) = text.lines.map { |line| line.split.first(3) }.select { |row| row[1]&.match?(/\A\d/) }
end
