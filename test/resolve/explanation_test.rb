# frozen_string_literal: true

require "resolve/resolve_case"

# If no versions satisfy all requirements, the error message names the requirements that contradict each other.
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
    @hint = output[/^hint: (.*)/, 1]
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
    assert_equal "right excludes base 2.0: remove right, or use a fork of right", @hint
  end

  def test_hints_name_the_requirement_to_change
    source.add("right", "2.0")
    source.add("outer", "1.0", dependencies: { "right" => "1.0" })
    { ["left", "right', '~> 1.0"] => "right excludes base 2.0: allow another version of right in the Gemfile",
      ["left", "outer', '< 2"] => "right excludes base 2.0: allow another version of outer in the Gemfile",
      ["left", "base', '< 1.1"] => "loosen `base < 1.1` in the Gemfile",
      ["right', '< 2", "base', '2.0"] => "loosen `base = 2.0` in the Gemfile, or allow another version of right",
      ["whole"] => "part excludes base 2.0: remove whole, or use a fork of part" }.each do |names, hint|
      text = explanation(*names.map { |name| "gem '#{name}'" })
      assert_equal hint, @hint, text
    end
  end

  def test_a_chain_without_a_rival
    assert_equal <<~TEXT, explanation("gem 'whole'")
      part requires base > 2
      whole (2 versions) requires part = 1.0 or = 1.1
      versions of base: 2.0, 1.1, 1.0
    TEXT
  end

  # Bundler breaks lines at the width of the terminal.
  def test_long_lines_are_not_broken
    name = "long#{"-name" * 14}"
    source.add(name, "1.0", dependencies: { "base" => ">= 1.1" })
    assert_match(/^  #{name} requires base >= 1.1$/, explanation("gem '#{name}'", "gem 'right'"))
  end

  def test_ruby
    assert_match(/^future requires Ruby >= 9\nthis is Ruby #{RUBY_VERSION}$/, explanation("gem 'future'"))
    assert_match(/^use a matching Ruby version/, @hint)
  end

  def test_a_gem_that_no_source_has
    source.add("lost", "1.0", dependencies: { "nowhere" => ">= 0" })
    assert_match(/^lost requires nowhere$.*^no source has a gem nowhere$/m, explanation("gem 'lost'"))
    assert_equal "no source has nowhere: add its source to the Gemfile, or remove lost", @hint
  end
end
