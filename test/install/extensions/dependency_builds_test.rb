# frozen_string_literal: true

require "install/build_case"

# A build that depends on the build of another gem is reused only with the same build of that gem.
class DependencyBuildsTest < InstallBuildCase
  # base's build writes its configured flavour to a file; top's build compiles it in.
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

  def test_another_flavour_of_the_dependency
    flavoured = another("top", BUNDLE_BUILD__BASE: "--with-flavour=strawberry")
    assert_equal [%w[base top], []], install(flavoured)
    assert_equal "10", value(flavoured, "top")
    assert_equal [[], %w[base top]], install(another("top"))
    assert_equal [[], %w[base top]], install(another("top", BUNDLE_BUILD__BASE: "--with-flavour=strawberry"))
  end

  # The setting has changed, but the existing build of base is used.
  def test_existing_build_of_the_dependency
    project = another("base")
    assert_equal [[], %w[base]], install(project)
    grow(project)
    assert_equal [[], %w[top]], install(project, BUNDLE_BUILD__BASE: "--with-flavour=strawberry")
    assert_equal "5", value(project, "top")
  end

  def test_build_of_bundler_is_unknown_elsewhere
    project = another("base", BUNDLE_BUILD__BASE: "--with-flavour=vanilla")
    project.bundle("install")
    grow(project)
    assert_equal [%w[top], []], install(project)
    assert_equal "7", value(project, "top")
    assert_equal [[], %w[base top]], install(other = another("top"))
    assert_equal "5", value(other, "top")
    FileUtils.rm_rf(Dir.glob("#{project.bundle_root}/{gems,specifications,extensions/*/*}/top-1.0*"))
    assert_equal [[], %w[top]], install(project), "same build of the dependency, same bundle"
  end

  # The bundle's record still contains the first build.
  def test_dependency_rebuilt_by_bundler
    project = another("base", BUNDLE_BUILD__BASE: "--with-flavour=vanilla")
    assert_equal [%w[base], []], install(project)
    project.bundle("pristine", "base", BUNDLE_BUILD__BASE: "--with-flavour=nut")
    grow(project)
    assert_equal [%w[top], []], install(project)
    assert_equal "3", value(project, "top")
  end

  def test_forgotten_build_of_the_dependency
    @first.spate!("store", "forget", "base")
    assert_equal [%w[base top], []], install(another("top"))
  end

  # The gem loads no dependency, so it does not depend on their builds.
  def test_gem_that_loads_no_dependency
    native("apart", dependencies: { "base" => ">= 1" })
    assert_equal [%w[apart], %w[base]], install(another("apart"))
    assert_equal [%w[base], %w[apart]], install(another("apart", BUNDLE_BUILD__BASE: "--with-flavour=x"))
  end

  private

  # Adds top to the project.
  def grow(project)
    File.write(project.path("Gemfile"), "gem 'top'\n", mode: "a")
    lock(project, %w[base top])
  end
end
