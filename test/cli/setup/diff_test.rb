# frozen_string_literal: true

require "test_helper"
require "open3"

class DiffTest < Minitest::Test
  def diff(before, after) = Spate::CLI::Setup::Diff.new("file", before, after).to_s

  def test_change_with_context
    before = (1..9).map { |number| "#{number}\n" }.join

    assert_equal "--- a/file\n+++ b/file\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+5.5\n 6\n 7\n 8\n",
                 diff(before, before.sub("5\n", "five\n5.5\n"))
  end

  def test_new_file
    assert_equal "--- /dev/null\n+++ b/file\n@@ -0,0 +1,1 @@\n+new\n", diff(nil, "new\n")
  end

  def test_last_line_without_newline
    assert_equal "--- a/file\n+++ b/file\n@@ -1,1 +1,1 @@\n-old\n\\ No newline at end of file\n+new\n",
                 diff("old", "new\n")
  end

  # git restores the new text from random edits, and the old text from the reverse.
  def test_git_applies_it
    random = Random.new(4711)
    20.times do
      before, after = Array.new(2) { Array.new(random.rand(30)) { "#{random.rand(6)}\n" }.join }
      next if before == after

      assert_equal after, applied(before, diff(before, after))
      assert_equal before, applied(after, diff(after, before))
    end
  end

  private

  def applied(text, patch)
    path = write("tree/file", text)
    output, status = Open3.capture2e("git", "apply", "--unidiff-zero", "-", stdin_data: patch,
                                                                            chdir: File.dirname(path))
    assert_predicate status, :success?, "#{output}\n#{patch}"
    File.read(path)
  end
end
