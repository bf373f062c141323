# frozen_string_literal: true

require "test_helper"
require "support/boot_gems"

# A program behaves the same, and no partial compile cache is left, when many boots start at once, builders are killed,
# or the store is full or read-only.
class BootCrowdTest < Minitest::Test
  def setup
    super
    @project = Spate::BootGems.project(File.join(folder, "app"))
    @expected = @project.plain
  end

  def teardown
    Array(@mounted).each { |path| system("umount", "-l", path) }
    super
  end

  def test_thirty_two_first_boots_at_once
    outputs = Array.new(32) { |number| start("#{folder}/out#{number}") }.map { |pid, file| finish(pid, file) }
    @project.settle

    assert_equal [[0, @expected.out]], outputs.uniq
    assert_clean
    assert_operator @project.spate.hits, :>, 100
  end

  def test_builders_that_are_killed
    killed = 0
    8.times do |number|
      assert_equal @expected.out, @project.spate(readonly: false).out
      sleep number * 0.03
      killed += @project.builders.count { |pid| kill(pid) }
    end

    assert_operator killed, :>, 0
    @project.settle
    assert_equal @expected.out, @project.spate.out
    later
    @project.warm
    Spate::CompileCache::Prune.new("#{@project.home}/spate/store/v1", now: Time.now + 7200).call
    assert_clean
  end

  # Makes the last attempts of builders two hours older. After a failed attempt, the next builder waits.
  def later
    Dir.glob("#{@project.caches}/boots/*.attempts") { |path| File.utime(Time.now - 7200, Time.now - 7200, path) }
  end

  def test_a_full_disk
    mount("#{@project.home}/spate", "size=64k")
    File.write("#{@project.home}/spate/fill", "x" * 40_960)
    2.times do
      found = @project.spate(readonly: false)

      assert_equal [0, @expected.out, @expected.err], [found.code, found.out, found.err]
      @project.settle
    end
    assert_clean
    File.unlink("#{@project.home}/spate/fill")
    system("mount", "-o", "remount,size=50m", "#{@project.home}/spate", exception: true)
    later
    @project.warm
  end

  def test_a_read_only_place_with_compile_caches
    @project.warm
    bind_read_only("#{@project.home}/spate")
    before = snapshot
    found = @project.spate(readonly: false)

    assert_equal [0, @expected.out, @expected.err], [found.code, found.out, found.err]
    assert_operator found.hits, :>, 100
    assert_empty @project.builders
    assert_equal before, snapshot
  end

  def test_a_read_only_place_without_compile_caches
    FileUtils.mkdir_p("#{@project.home}/spate")
    bind_read_only("#{@project.home}/spate")
    found = @project.spate(readonly: false)

    assert_equal [0, @expected.out, @expected.err], [found.code, found.out, found.err]
    assert_empty @project.builders
  end

  def test_read_only_by_the_environment
    found = @project.spate

    assert_equal @expected.out, found.out
    assert_empty @project.builders
    refute_path_exists "#{@project.home}/spate"
  end

  private

  def start(file)
    command = [*Spate::BootProject::SPATE, "exec", "ruby", "main.rb"]
    [Process.spawn(@project.env("BOOT_FACTS" => "#{file}.facts"), *command, chdir: @project.folder, in: File::NULL,
                                                                            %i[out err] => file), file]
  end

  def finish(pid, file) = [Process.wait2(pid).last.exitstatus, File.read(file)]

  def kill(pid)
    Process.kill(:KILL, pid)
  rescue Errno::ESRCH
    nil
  end

  # Asserts that every compile cache is complete, and that the builders left no partial file.
  def assert_clean
    caches = Dir.glob("#{@project.home}/spate/store/v1/compile-cache/**/*.compiled")
    key = File.basename(@project.caches)
    damaged = caches.reject { |path| path.include?("/own/") }.flat_map do |path|
      cache = Spate::Native::CompileCache.open(path, key: key)
      cache.verify
    end

    assert_empty damaged
    left = Dir.glob("#{@project.home}/spate/store/v1/compile-cache/**/*", File::FNM_DOTMATCH).select do |path|
      File.file?(path)
    end
    assert_empty left.reject { |path|
                   path.match?(/\.(compiled|lock|log|recording|bootlog|boot|attempts|tidied)\z/)
                 }
  end

  def snapshot = Dir.glob("#{@project.home}/spate/**/*").to_h { |path| [path, File.mtime(path)] }

  def mount(path, options)
    needs_root
    FileUtils.mkdir_p(path)
    made = system("mount", "-t", "tmpfs", "-o", "#{options},mode=755", "tmpfs", path, err: File::NULL)
    made ? (@mounted ||= []) << path : skip("no tmpfs can be mounted here")
  end

  def bind_read_only(path)
    needs_root
    made = system("mount", "--bind", path, path, err: File::NULL) &&
           system("mount", "-o", "remount,bind,ro", path, err: File::NULL)
    (@mounted ||= []) << path
    skip "no folder can be made read-only here" unless made
  end

  def needs_root = Process.uid.zero? || skip("needs root, to mount")
end
