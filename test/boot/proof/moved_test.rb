# frozen_string_literal: true

require "test_helper"
require "support/boot_gems"

# Compile caches are still used after bundle and store were restored from a container's layer or a CI cache, with other
# inodes and times. At another path they are not used.
class BootMovedTest < Minitest::Test
  def setup
    super
    @project = Spate::BootGems.project(File.join(folder, "app"))
    @expected = @project.plain
    @project.warm
  end

  # Simulates COPY in a Dockerfile: contents and modes are kept, times are not.
  def test_copied_without_times
    again(@project.folder) { |from, to| FileUtils.cp_r(from, to) }
    again(@project.home) { |from, to| FileUtils.cp_r(from, to) }
    accepted
  end

  # Simulates a CI cache: files are unpacked from an archive, with times in whole seconds.
  def test_unpacked_from_an_archive
    [@project.folder, @project.home].each do |path|
      again(path) { |from, to| Dir.mkdir(to) && system("tar -C #{from} -cf - . | tar -C #{to} -xf -", exception: true) }
    end
    accepted
  end

  # Compile caches of the old path are not used for the new one.
  def test_moved_to_another_path
    moved = Spate::BootProject.new("#{folder}/moved", home: @project.home)
    FileUtils.rm_rf(moved.folder)
    File.rename(@project.folder, moved.folder)
    expected = moved.plain
    found = moved.spate

    assert_equal [expected.code, expected.out, expected.err], [found.code, found.out, found.err]
  end

  private

  def again(path)
    File.rename(path, "#{path}-before")
    yield "#{path}-before", path
  end

  # Asserts that contents are compared once and found equal, and that the new times are recorded.
  def accepted
    found = @project.spate(readonly: false)

    assert_equal [0, @expected.out, @expected.err], [found.code, found.out, found.err]
    assert_operator found.loader[:revalidated], :>, 5, found.facts
    assert_equal 0, found.loader[:stale], found.facts
    @project.settle
    again = @project.spate

    assert_equal [@expected.out, 0], [again.out, again.loader[:revalidated]], again.facts
    assert_operator again.hits, :>, 100
  end
end
