# frozen_string_literal: true

require "install/install_case"
require "digest"

# Data about a gem from a store, a lockfile or a source must match the gem. One project must not affect the gems of
# another.
class DistrustTest < InstallCase
  def sum(path) = Digest::SHA256.file(path).hexdigest

  def test_the_checksum_of_another_gem_installs_nothing
    @source.add("first", "1.0")
    @source.add("second", "1.0")
    first = app("one", gems: %w[first])
    assert_installs(first, "first-1.0")
    archive = "#{first.bundle_root}/cache/first-1.0.gem"

    second = app("two", gems: %w[second], checksums: { "second-1.0" => sum(archive) })
    output, status = run_install(second)
    refute_equal 0, status.exitstatus, output
    assert_empty children("#{second.bundle_root}/gems")
    assert_empty children("#{second.bundle_root}/specifications")
  end

  def test_archive_of_one_application_is_not_used_by_others
    @source.add("pkg", "1.0", files: { "lib/pkg.rb" => "PKG = :source\n" })
    other = GemSource.start
    other.add("pkg", "1.0", files: { "lib/pkg.rb" => "PKG = :patched\n" })
    patched = Dir.glob("#{other.catalog.folder}/**/pkg-1.0.gem").first
    one = app("one", gems: %w[pkg], checksums: { "pkg-1.0" => sum(patched) })
    FileUtils.mkdir_p(one.path("vendor/cache"))
    FileUtils.cp(patched, one.path("vendor/cache"))
    assert_installs(one, "pkg-1.0")
    assert_includes File.read("#{one.bundle_root}/gems/pkg-1.0/lib/pkg.rb"), "patched"

    two = app("two", gems: %w[pkg])
    assert_installs(two, "pkg-1.0")
    assert_includes File.read("#{two.bundle_root}/gems/pkg-1.0/lib/pkg.rb"), "source"
  ensure
    other&.stop
  end

  def test_gem_with_incomplete_files_is_not_installed
    @source.add("half", "1.0", files: { "lib/half.rb" => "HALF = 1\n", "lib/other.rb" => "OTHER = 1\n" })
    project = app(gems: %w[half])
    assert_installs(project, "half-1.0")
    FileUtils.rm_rf("#{project.bundle_root}/gems/half-1.0")
    store = "#{project.home}/spate/store/v1"
    File.unlink("#{store}/objects/#{object(store, "HALF = 1\n")}")
    FileUtils.rm_rf(Dir.glob("#{store}/archives/*") + ["#{project.bundle_root}/cache/half-1.0.gem"])
    @source.fault(%r{/gems/half}, :status, code: 404, times: 9)

    _, status = run_install(project)
    refute_equal 0, status.exitstatus
    @source.clear_faults if @source.respond_to?(:clear_faults)
    refute(File.exist?("#{project.bundle_root}/specifications/half-1.0.gemspec") &&
           File.exist?("#{project.bundle_root}/gems/half-1.0"))
  end

  def test_folder_that_is_a_dangling_link
    @source.add("pkg", "1.0")
    project = app(gems: %w[pkg])
    FileUtils.mkdir_p(project.path("vendor"))
    File.symlink("/nonexistent/folder", project.path("vendor/bundle"))

    assert_fails(project, 9, "vendor/bundle")
  end

  def test_store_in_a_folder_that_is_a_dangling_link
    @source.add("pkg", "1.0")
    project = app(gems: %w[pkg])
    FileUtils.rm_rf("#{project.home}/spate")
    File.symlink("/nonexistent/folder", "#{project.home}/spate")

    assert_fails(project, 9)
  end

  def test_store_made_without_a_umask_is_not_writable_by_others
    @source.add("pkg", "1.0", executables: %w[pkg])
    project = app(gems: %w[pkg])
    old = File.umask(0)
    assert_installs(project, "pkg-1.0")
    File.umask(old)
    open = Dir.glob("#{project.home}/spate/**/*").reject { |path| File.lstat(path).mode & 0o022 == 0 }

    assert_empty(open.reject { |path| File.symlink?(path) })
  ensure
    File.umask(old) if old
  end

  def test_a_name_that_ends_in_a_carriage_return
    @source.add("icon", "1.0", files: { "lib/icon.rb" => "ICON = 1\n", "Icon\r" => "" })
    project = app(gems: %w[icon])
    assert_installs(project, "icon-1.0")
    assert_path_exists "#{project.bundle_root}/gems/icon-1.0/Icon\r"
    File.unlink("#{project.bundle_root}/gems/icon-1.0/Icon\r")

    output, = project.spate("check")
    refute_includes output, "\r"
    assert_includes output, "Icon"
  end

  private

  def object(store, text)
    name = "#{Digest::SHA256.hexdigest(text)}-*"
    Dir.glob("*/#{name}", base: "#{store}/objects").first
  end
end
