# frozen_string_literal: true

require "resolve/resolve_case"

# What is printed when no versions satisfy all requirements.
class ExplanationTest < ResolveCase
  def setup
    super
    %w[1.0 1.1 2.0].each { |version| source.add("base", version) }
    source.add("left", "1.0", dependencies: { "base" => ">= 1.1" })
    source.add("right", "1.0", dependencies: { "base" => "< 1.1" })
    %w[1.0 1.1].each do |version|
      source.add("part", version, dependencies: { "base" => "> 2" })
      source.add("whole", version, dependencies: { "part" => version })
    end
    source.add("future", "1.0", ruby: ">= 9")
  end

  def explanation(*lines)
    app = project("app#{@count = @count.to_i + 1}", "source '#{source.url}'\n#{lines.join("\n")}\n",
                  lock: "GEM\n  specs:\n\nPLATFORMS\n\nDEPENDENCIES\n\nBUNDLED WITH\n   #{NewestBundler.version}\n")
    output, status = app.spate("lock")
    assert_equal 5, status.exitstatus, output
    output[/^error: .*?\n(.*)^hint: /m, 1].gsub(/^ {2}/, "")
  end

  def test_two_gems_that_require_a_third_one
    assert_equal <<~TEXT, explanation("gem 'left'", "gem 'right'")
      No version of base satisfies all of:
        left requires base >= 1.1
        right requires base < 1.1
      versions of base: 2.0, 1.1, 1.0
      Gemfile requires left
      Gemfile requires right
    TEXT
  end

  def test_a_chain_without_a_rival
    assert_equal <<~TEXT, explanation("gem 'whole'")
      part requires base > 2
      whole (2 versions) requires part = 1.0 or = 1.1
      versions of base: 2.0, 1.1, 1.0
    TEXT
  end

  def test_ruby
    assert_match(/^future requires Ruby >= 9\nthis is Ruby #{RUBY_VERSION}$/, explanation("gem 'future'"))
  end

  def test_a_gem_that_no_source_has
    source.add("lost", "1.0", dependencies: { "nowhere" => ">= 0" })
    assert_match(/^lost requires nowhere$.*^no source has a gem nowhere$/m, explanation("gem 'lost'"))
  end
end
