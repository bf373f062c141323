# frozen_string_literal: true

require "install/install_case"

# Installs on full and read-only disks, on another file system, and with a store of another user. Each succeeds, or
# fails with a hint and leaves a bundle that the next install completes.
class MachineTest < InstallCase
  def setup
    super
    @source.add("small", "1.0")
    @source.add("exe", "1.0", executables: %w[exe])
    @source.add("big", "1.0", files: { "lib/big.rb" => "", "data/big" => Random.new(3).bytes(3 << 20) })
  end

  def test_a_full_disk_under_the_store
    home = mount(File.join(folder, "home/spate"), "size=2m")
    first = app("first", gems: %w[small exe])
    assert_installs(first, "exe-1.0", "small-1.0")
    second = app("second", gems: %w[small big])
    before = state(second)
    assert_fails(second, 9, "no space left")

    assert_equal before[:store], state(second)[:store]
    refute_path_exists "#{second.bundle_root}/gems/big-1.0"
    assert_equal "exe\n", first.bundle("exec", "exe")
    system("mount", "-o", "remount,size=30m", home, exception: true)
    assert_installs(second, "big-1.0", "small-1.0")
    assert_store_clean(second)
  end

  def test_a_full_disk_under_the_bundle
    project = app(gems: %w[small big])
    vendor = mount(project.path("vendor"), "size=2m")
    assert_fails(project, 9, "big-1.0", "space")
    refute_path_exists "#{project.bundle_root}/specifications/big-1.0.gemspec"

    system("mount", "-o", "remount,size=30m", vendor, exception: true)
    assert_installs(project, "big-1.0", "small-1.0")
    assert_store_clean(project)
  end

  def test_another_file_system_gets_copies
    project = app(gems: %w[small exe])
    mount(project.path("vendor"), "size=20m")
    assert_installs(project, "exe-1.0", "small-1.0")

    files = Dir.glob("#{project.bundle_root}/{gems,cache}/**/*").select { |path| File.file?(path) }
    assert_operator files.size, :>, 4
    assert_equal [1], files.map { |path| File.stat(path).nlink }.uniq
    assert_equal "exe\n", project.bundle("exec", "exe")
    assert_match(/nothing|in place/, assert_installs(project, "exe-1.0", "small-1.0"))
  end

  def test_a_read_only_store
    first = app("first", gems: %w[small exe])
    assert_installs(first)
    warm = app("warm", gems: %w[small exe])
    cold = app("cold", gems: %w[big])
    read_only(File.join(folder, "home/spate"))

    assert_installs(warm, "exe-1.0", "small-1.0")
    assert_installs(warm, "exe-1.0", "small-1.0")
    assert_installs(first, "exe-1.0", "small-1.0")
    assert_fails(cold, 9, "Read-only file system", "SPATE_HOME")
    assert_empty children("#{cold.bundle_root}/gems")
  end

  def test_a_read_only_bundle
    project = app(gems: %w[small])
    FileUtils.mkdir_p(project.path("vendor"))
    path = mount(project.path("vendor"), "size=2m")
    system("mount", "-o", "remount,ro", path, exception: true)
    assert_fails(project, 9, "vendor/bundle")

    system("mount", "-o", "remount,rw", path, exception: true)
    assert_installs(project, "small-1.0")
  end

  def test_a_store_of_another_user
    skip "needs root to become another user" unless Process.euid.zero?

    project = app(gems: %w[small])
    assert_installs(project, "small-1.0")
    FileUtils.chown_R(65_533, nil, "#{project.home}/spate")
    assert_fails(project, 9, "belongs to user 65533")
    FileUtils.chown_R(0, nil, "#{project.home}/spate")
    assert_installs(project, "small-1.0")
  end

  def test_an_object_with_all_the_links_that_an_inode_can_have
    assert_installs(app("first", gems: %w[small]))
    object = Dir.glob("#{folder}/home/spate/store/v1/objects/*/*").max
    exhaust(object)
    second = app("second", gems: %w[small])
    assert_installs(second, "small-1.0")
    assert_match(/satisfied/, second.bundle("check"))
  end

  def test_an_executable_with_all_the_links_that_an_inode_can_have
    @source.add("flat", "1.0", executables: %w[flat], files: { "exe/flat" => ["#!/usr/bin/env ruby\nputs 1\n", 0o644] })
    assert_installs(app("first", gems: %w[flat]))
    store = "#{folder}/home/spate/store/v1"
    object = Dir.glob("#{store}/objects/*/*-755").first
    exhaust(object)
    FileUtils.rm(Dir.glob("#{store}/{packages,archives}/*")) # so that gems are unpacked again
    second = app("second", gems: %w[flat])
    assert_installs(second, "flat-1.0")
    copied = File.stat("#{second.bundle_root}/gems/flat-1.0/exe/flat")

    assert_equal [0o755, 1, File.mtime(object)], [copied.mode & 0o777, copied.nlink, copied.mtime]
    assert_equal "1\n", second.bundle("exec", "flat")
    assert_match(/nothing|in place/, assert_installs(second, "flat-1.0"))
  end

  private

  def read_only(path)
    skip "needs root for a read-only mount" unless Process.euid.zero?
    skip "no bind mounts here" unless system("mount", "--bind", path, path)

    (@mounts ||= []) << path
    system("mount", "-o", "remount,bind,ro", path, exception: true)
  end

  # Creates the maximum number of links. On ext4 it is 65,000.
  def exhaust(object)
    links = File.join(folder, "links").tap { |path| FileUtils.mkdir_p(path) }
    70_000.times { |number| File.link(object, "#{links}/#{number}") }
    skip "this file system takes more than 70,000 links to a file"
  rescue Errno::EMLINK
    nil
  end
end
