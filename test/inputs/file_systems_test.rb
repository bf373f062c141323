# frozen_string_literal: true

require_relative "inputs_case"
require "etc"
require "support/test_disk"

module Spate
  # File systems whose times do not prove that a file is unchanged, or only within one mount: a different version has
  # the same times and inodes, or a file is edited in the same second.
  class InputsFileSystemsTest < InputsCase
    def teardown
      @disk&.unmount
      super
    end

    def place = File.join(@root, "disk")

    %i[squashfs erofs chosen].each do |type|
      define_method("test_another_version_on_#{type}") do
        mount(type, "1.0", "a.h" => "1.0", "b.h" => "")
        record([:file, "#{place}/a.h"])
        absent = record_beside([:absent, "#{place}/c.h"])
        assert_holds
        mount(type, "1.1", "a.h" => "1.1", "c.h" => "")
        assert_changed :content, "#{place}/a.h"
        assert_equal [:appeared, "#{place}/c.h"], Inputs.check(absent, @roots).first(2)
      end
    end

    %i[squashfs erofs].each do |type|
      define_method("test_record_is_not_renewed_forever_on_#{type}") do
        mount(type, "1.0", "a.h" => "1.0")
        record([:file, "#{place}/a.h"], [:listed, place])
        grow_old
        assert_holds
      end
    end

    %i[ext4 vfat].each do |type|
      define_method("test_an_edit_in_the_second_of_the_record_on_#{type}") do
        mount(type)
        5.times do |i|
          path = "#{place}/a#{i}.h"
          File.write(path, "one")
          sleep 0.1
          record([:file, path], [:absent, "#{place}/new#{i}"])
          File.write(path, "two")
          assert_changed :content, path
          File.write(path, "one")
          FileUtils.touch("#{place}/new#{i}")
          assert_changed :appeared, "#{place}/new#{i}"
        end
      end
    end

    def test_times_in_whole_seconds_count_while_the_compile_cache_is_mounted
      mount_chosen
      record([:file, "#{place}/a.h"], [:absent, "#{place}/c.h"])
      assert_equal [true, true], stamped
      assert_read(0) { assert_holds }
    end

    def test_times_in_whole_seconds_do_not_count_in_another_mount
      mount_chosen
      record([:file, "#{place}/a.h"])
      @disk.unmount
      @disk.mount(place)
      assert_read(1) { assert_equal :renewed, check(renew_to: @record) }
      assert_read(0) { assert_holds }
    end

    # The edit is detected even if it keeps size and mtime.
    def test_edit_of_a_file_with_times_in_whole_seconds
      mount_chosen
      path = "#{place}/a.h"
      before = facts_of(path)
      record([:file, path], [:absent, "#{place}/c.h"])
      File.write(path, "1.1")
      File.utime(1_000_000, 1_000_000, path)
      assert_equal before, facts_of(path)
      assert_changed :content, path
      File.write(path, "1.0")
      FileUtils.touch("#{place}/c.h")
      File.utime(1_000_000, 1_000_000, place)
      assert_changed :appeared, "#{place}/c.h"
    end

    # Times are never sufficient, however old the file is, because the clock may be set back.
    def test_times_of_a_file_system_that_keeps_seconds_alone_never_count
      mount(:ext4)
      File.write("#{place}/a.h", "1.0")
      sleep 0.1 until Time.now - File.ctime("#{place}/a.h") > 1.1
      record([:file, "#{place}/a.h"])
      assert_equal [false], stamped
    end

    private

    def mount_chosen
      release = Etc.uname[:release].split(".").first(2).map(&:to_i)
      skip "Linux before 6.8 does not name mounts" if (release <=> [6, 8]).negative?
      mount(:chosen, "1.0", "a.h" => "1.0")
      stat = File.stat("#{place}/a.h")
      assert_equal [1_000_000, 1_000_000], [stat.ctime.to_r, stat.mtime.to_r]
    end

    def facts_of(path) = File.stat(path).then { |stat| [stat.size, stat.mtime, stat.ino, stat.dev] }
    def stamped = [].tap { |all| Inputs.each(@record) { |*, facts| all << (facts[:stamped] || false) } }

    # Asserts how often the file is read. Reading sets its atime; the clock has ticked since then.
    def assert_read(times)
      before = File.atime("#{place}/a.h")
      grow_old
      yield
      assert_equal times, before == File.atime("#{place}/a.h") ? 0 : 1
    end

    def record_beside(entry)
      "#{@root}/other".tap { |path| assert_nil Inputs.record(path, [entry], @roots) }
    end

    def mount(type, version = nil, files = {})
      obstacle = TestDisk.obstacle(type) and skip obstacle
      @disk&.unmount
      files.each { |name, content| write("#{version}/#{name}", content) }
      source = File.join(folder, version) if version
      @disk = TestDisk.new(type, "#{@root}/compile_cache-#{version}", source: source)
      @disk.mount(place)
    rescue RuntimeError => e
      skip e.message.lines.first
    end
  end
end
