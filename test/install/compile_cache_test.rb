# frozen_string_literal: true

require "install/install_case"
require "json"

# Compile caches that an install creates for the first boot.
class CompileCachesTest < InstallCase
  def setup
    super
    @source.add("alpha", "1.0", files: { "lib/alpha.rb" => "module Alpha; end\n" })
    @project = app(gems: ["alpha"])
  end

  def test_compile_caches_are_made_and_waited_for
    output = assert_installs(@project, "alpha-1.0", options: ["--compile-cache", "wait"])
    assert_match(/^compile caches: 1 gem compiled, 0 unchanged, /, output)
    assert_equal [1, 1], [caches("gems").size, caches("boots").size]
    assert_match(/: 0 gems compiled, 1 unchanged, /, run_install(@project, "--compile-cache", "wait").first)
  end

  def test_another_application_at_the_same_path_builds_nothing
    shared = "#{folder}/bundle"
    first = app(gems: ["alpha"], BUNDLE_PATH: shared)
    run_install(first, "--compile-cache", "wait")
    output, = run_install(app("other", gems: ["alpha"], BUNDLE_PATH: shared), "--compile-cache", "wait")
    assert_match(/: 0 gems compiled, 1 unchanged, /, output)
  end

  def test_in_the_background_after_the_summary
    output, = run_install(@project, SPATE_BOOT_BACKGROUND: nil)
    assert_match(/1 gem in/, output)
    refute_match(/compile caches/, output)
    wait_for { caches("boots").any? }
    assert_equal 1, caches("gems").size
  end

  def test_not_where_ci_is_set_unless_asked
    run_install(@project, CI: "true", SPATE_BOOT_BACKGROUND: nil)
    run_install(@project, "--compile-cache", "off", SPATE_BOOT_BACKGROUND: nil)
    assert_empty built
    FileUtils.rm_rf(@project.path("vendor"))
    run_install(@project, CI: "true", BUNDLE_SPATE__COMPILE_CACHE: "background")
    wait_for { caches("boots").any? }
  end

  def test_no_builder_is_started_without_an_installed_gem
    run_install(@project, "--compile-cache", "off")
    run_install(@project, SPATE_BOOT_BACKGROUND: nil)
    assert_empty built
  end

  def test_the_former_name_of_the_option
    run_install(@project, "--boot-images", "wait")
    assert_equal 1, caches("gems").size
  end

  def test_invalid_mode
    assert_fails(@project, 2, "sometimes", "wait, background, off", options: ["--compile-cache", "sometimes"])
    refute_path_exists @project.path("vendor")
  end

  def test_json_reports_built_compile_caches
    output, = run_install(@project, "--compile-cache", "wait", "--json")
    event = output.lines.map { |line| JSON.parse(line) }.find { |line| line["event"] == "compile_cache" }
    assert_equal [1, 1, []], event.values_at("built", "compiled", "warnings")
  end

  private

  # The compile caches in the store, except that of Spate's own files.
  def built = Dir.glob("#{@project.store.root}/compile-cache/*").grep_v(%r{/own\z})
  def caches(kind) = Dir.glob("#{@project.store.root}/compile-cache/*/#{kind}/*.compiled")

  def wait_for
    400.times { yield ? return : sleep(0.05) }
    flunk Dir.glob("#{@project.store.root}/compile-cache/*/boots/*.log").map { |log| File.read(log) }.join
  end
end
