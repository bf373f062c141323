# frozen_string_literal: true

require "install/build_case"

# A build that sees another gem's build is used again only where it would see the same one.
class DependencyBuildsTest < InstallBuildCase
  # base's build writes what it was configured with; top's compiles it in.
  BASE = <<~RUBY
    File.write("../../lib/flavour.rb", "FLAVOUR = \#{with_config("flavour", "plain").dump}\\n")
  RUBY
  TOP = <<~'RUBY'
    require "flavour"
    $defs << "-DFLAVOUR_LENGTH=#{FLAVOUR.length}"
  RUBY

  def setup
    super
    native("base", extconf: BASE)
    native("top", extconf: TOP, value: "FLAVOUR_LENGTH", dependencies: { "middle" => ">= 1" })
    @source.add("middle", "1.0", dependencies: { "base" => ">= 1" })
    assert_equal [%w[base top], []], install(@first = another("top"))
    assert_equal "5", value(@first, "top")
  end

  def test_another_flavour_below
    flavoured = another("top", BUNDLE_BUILD__BASE: "--with-flavour=strawberry")
    assert_equal [%w[base top], []], install(flavoured)
    assert_equal "10", value(flavoured, "top")
    assert_equal [[], %w[base top]], install(another("top"))
    assert_equal [[], %w[base top]], install(another("top", BUNDLE_BUILD__BASE: "--with-flavour=strawberry"))
  end

  # The setting changed since, and what counts is the build that is there.
  def test_what_was_in_place_before
    project = another("base")
    assert_equal [[], %w[base]], install(project)
    grow(project)
    assert_equal [[], %w[top]], install(project, BUNDLE_BUILD__BASE: "--with-flavour=strawberry")
    assert_equal "5", value(project, "top")
  end

  def test_what_bundler_built_is_unknown_elsewhere
    project = another("base", BUNDLE_BUILD__BASE: "--with-flavour=vanilla")
    project.bundle("install")
    grow(project)
    assert_equal [%w[top], []], install(project)
    assert_equal "7", value(project, "top")
    assert_equal [[], %w[base top]], install(other = another("top"))
    assert_equal "5", value(other, "top")
    FileUtils.rm_rf(Dir.glob("#{project.bundle_root}/{gems,specifications,extensions/*/*}/top-1.0*"))
    assert_equal [[], %w[top]], install(project), "the same build below, the same bundle"
  end

  # The bundle's record still names the first build.
  def test_what_bundler_built_anew
    project = another("base", BUNDLE_BUILD__BASE: "--with-flavour=vanilla")
    assert_equal [%w[base], []], install(project)
    project.bundle("pristine", "base", BUNDLE_BUILD__BASE: "--with-flavour=nut")
    grow(project)
    assert_equal [%w[top], []], install(project)
    assert_equal "3", value(project, "top")
  end

  def test_forgotten_below
    @first.spate!("store", "forget", "base")
    assert_equal [%w[base top], []], install(another("top"))
  end

  # It says itself that it loads no other gem: what lies beside it is nothing to it.
  def test_one_that_sees_none
    native("apart", dependencies: { "base" => ">= 1" })
    assert_equal [%w[apart], %w[base]], install(another("apart"))
    assert_equal [%w[base], %w[apart]], install(another("apart", BUNDLE_BUILD__BASE: "--with-flavour=x"))
  end

  private

  # The project needs top as well.
  def grow(project)
    File.write(project.path("Gemfile"), "gem 'top'\n", mode: "a")
    lock(project, %w[base top])
  end
end
