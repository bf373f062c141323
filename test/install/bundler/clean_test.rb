# frozen_string_literal: true

require "install/install_case"
require "json"

# `spate install --clean` and the setting: the removed gems, the output, and the same result as `bundle clean`.
class CleanTest < InstallCase
  def setup
    super
    @source.add("base", "1.0")
    @source.add("web", "1.0", executables: %w[web], dependencies: { "rack" => ">= 1" })
    @source.add("rack", "1.0")
  end

  def test_excluded_group_is_removed
    project = grouped("app")
    output = assert_installs(project, "base-1.0", options: %w[--clean], BUNDLE_WITHOUT: "web")

    assert_match(/^removed rack-1\.0$/, output)
    assert_match(/^removed web-1\.0$/, output)
    assert_match(/^1 gem in [\d.]+ m?s: 1 in place, 2 removed$/, output)
    assert_match(/^1 gem in place, nothing to do/, run_install(project, "--clean", BUNDLE_WITHOUT: "web").first)
  end

  def test_removed_gems_as_json
    done = JSON.parse(run_install(grouped("app"), "--clean", "--json", BUNDLE_WITHOUT: "web").first.lines.last)

    assert_equal [%w[rack-1.0 web-1.0], false], [done["removed"].sort, done["noop"]]
  end

  def test_the_same_as_bundle_clean
    mine, theirs = %w[mine theirs].map { |name| grouped(name, home: "home-#{name}") }
    run_install(mine, BUNDLE_CLEAN: "true", BUNDLE_WITHOUT: "web")
    theirs.bundle("clean", BUNDLE_WITHOUT: "web")
    found, expected = [mine, theirs].map { |project| Spate::TreeComparison.snapshot(project.bundle_root) }

    assert_empty Spate::TreeComparison.differences(expected, found)
    refute_path_exists "#{mine.bundle_root}/bin/web"
  end

  # Spate leaves installs with BUNDLE_NO_BUILD_EXTENSION to Bundler.
  def test_install_left_to_bundler_cleans_too
    project = grouped("app")
    output, status = run_install(project, "--clean", BUNDLE_WITHOUT: "web", BUNDLE_NO_BUILD_EXTENSION: "true")

    assert_predicate status, :success?, output
    assert_equal %w[base-1.0], project.installed
  end

  private

  # An installed application with a group `web`.
  def grouped(name, **options)
    project = app(name, gems: %w[base web], **options)
    File.write(project.path("Gemfile"), "source '#{@source.url}'\ngem 'base'\ngem 'web', group: :web\n")
    assert_installs(project, "base-1.0", "rack-1.0", "web-1.0")
    project
  end
end
