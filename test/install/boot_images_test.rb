# frozen_string_literal: true

require "install/install_case"
require "json"

# Boot images made by an install for the first boot.
class BootImagesTest < InstallCase
  def setup
    super
    @source.add("alpha", "1.0", files: { "lib/alpha.rb" => "module Alpha; end\n" })
    @project = app(gems: ["alpha"])
  end

  def test_images_are_made_and_waited_for
    output = assert_installs(@project, "alpha-1.0", options: ["--boot-images", "wait"])
    assert_match(/^boot images: 1 gem compiled, 0 unchanged, /, output)
    assert_equal [1, 1], [images("gems").size, images("boots").size]
    assert_match(/: 0 gems compiled, 1 unchanged, /, run_install(@project, "--boot-images", "wait").first)
  end

  def test_another_application_at_the_same_path_builds_nothing
    shared = "#{folder}/bundle"
    first = app(gems: ["alpha"], BUNDLE_PATH: shared)
    run_install(first, "--boot-images", "wait")
    output, = run_install(app("other", gems: ["alpha"], BUNDLE_PATH: shared), "--boot-images", "wait")
    assert_match(/: 0 gems compiled, 1 unchanged, /, output)
  end

  def test_in_the_background_after_the_summary
    output, = run_install(@project, SPATE_BOOT_BACKGROUND: nil)
    assert_match(/1 gem in/, output)
    refute_match(/boot images/, output)
    wait_for { images("boots").any? }
    assert_equal 1, images("gems").size
  end

  def test_not_where_ci_is_set_unless_asked
    run_install(@project, CI: "true", SPATE_BOOT_BACKGROUND: nil)
    run_install(@project, "--boot-images", "off", SPATE_BOOT_BACKGROUND: nil)
    refute_path_exists "#{@project.store.root}/images"
    FileUtils.rm_rf(@project.path("vendor"))
    run_install(@project, CI: "true", BUNDLE_SPATE__BOOT_IMAGES: "background")
    wait_for { images("boots").any? }
  end

  def test_no_builder_is_started_without_an_installed_gem
    run_install(@project, "--boot-images", "off")
    run_install(@project, SPATE_BOOT_BACKGROUND: nil)
    refute_path_exists "#{@project.store.root}/images"
  end

  def test_invalid_mode
    assert_fails(@project, 2, "sometimes", "wait, background, off", options: ["--boot-images", "sometimes"])
    refute_path_exists @project.path("vendor")
  end

  def test_json_reports_built_images
    output, = run_install(@project, "--boot-images", "wait", "--json")
    event = output.lines.map { |line| JSON.parse(line) }.find { |line| line["event"] == "boot_images" }
    assert_equal [1, 1, []], event.values_at("built", "compiled", "warnings")
  end

  private

  def images(kind) = Dir.glob("#{@project.store.root}/images/*/#{kind}/*.image")

  def wait_for
    400.times { yield ? return : sleep(0.05) }
    flunk Dir.glob("#{@project.store.root}/images/*/boots/*.log").map { |log| File.read(log) }.join
  end
end
