# frozen_string_literal: true

require "test_helper"

module Spate
  class SnapshotTest < Minitest::Test
    def test_changes_of_every_kind
      write("tree/same", "1")
      write("tree/rewritten", "1")
      write("tree/touched", "1")
      write("tree/mode", "1")
      write("tree/gone/deep/file", "1")
      tree = File.join(folder, "tree")
      before = Build::Run::Snapshot.new(tree)
      File.write("#{tree}/rewritten", "2")
      File.chmod(0o755, "#{tree}/mode")
      FileUtils.rm_rf("#{tree}/gone")
      write("tree/new/file", "1")
      File.symlink("same", "#{tree}/link")
      after = Build::Run::Snapshot.new(tree)

      changed = after.since(before).map { |path| path.delete_prefix("#{tree}/") }

      assert_equal %w[link mode new new/file rewritten], changed.sort
      assert_equal ["#{tree}/gone"], after.removed_since(before)
      assert after.directory?("#{tree}/new")
    end

    def test_a_file_replaced_by_one_of_equal_size_and_time_is_seen
      path = write("tree/file", "1")
      time = Time.at(1_000_000)
      File.utime(time, time, path)
      before = Build::Run::Snapshot.new(File.join(folder, "tree"))
      other = write("other", "2")
      File.utime(time, time, other)
      File.rename(other, path)

      assert_equal [path], Build::Run::Snapshot.new(File.join(folder, "tree")).since(before)
    end

    def test_missing_folder_is_empty
      assert_empty Build::Run::Snapshot.new(File.join(folder, "none")).entries
    end
  end
end
