# frozen_string_literal: true

require "test_helper"
require "spate/native/boot"

module Spate
  class MarksTest < Minitest::Test
    NAMES = "file\0a/deep\0link\0a\0missing\0"

    def setup
      write("a/deep", "text")
      write("file", "four")
      File.symlink("file", "#{folder}/link")
    end

    def test_contains_the_result_of_lstat
      stat = File.lstat("#{folder}/file")

      assert_equal [stat.mode, 4, stat.ino, (stat.mtime.to_r * 1_000_000_000).to_i], mark(0)
      assert_equal [File.lstat("#{folder}/a").mode, 0], mark(3).first(2)
      assert_equal [0, 0, 0, 0], mark(4)
    end

    def test_shows_each_change
      change(0) { File.write("#{folder}/file", "longer") }
      change(0) { File.chmod(0o600, "#{folder}/file") }
      change(2) { File.unlink("#{folder}/link") && File.symlink("elsewhere", "#{folder}/link") }
      change(3) { write("a/new", "") }
      change(4) { write("missing", "") }
    end

    def test_ignores_other_hard_links
      before = marks
      File.link("#{folder}/file", "#{folder}/other")

      assert_equal before, marks
    end

    def test_needs_a_folder_and_complete_names
      assert_nil Native.marks("#{folder}/none", NAMES)
      assert_equal "", Native.marks(folder, "")
      assert_raises(ArgumentError) { Native.marks(folder, "file") }
      assert_raises(TypeError) { Native.marks(folder, nil) }
    end

    private

    def marks = Native.marks(folder, NAMES)
    def mark(index) = marks.byteslice(index * Native::MARK_BYTES, Native::MARK_BYTES).unpack("QQQq")

    # Asserts that the block changes only the mark at this index. Waits for a tick of the clock.
    def change(index)
      before = marks
      sleep(0.02)
      yield
      bytes = Native::MARK_BYTES
      differing = (0...(before.bytesize / bytes)).reject { |i| before[i * bytes, bytes] == marks[i * bytes, bytes] }

      assert_equal [index], differing
    end
  end
end
