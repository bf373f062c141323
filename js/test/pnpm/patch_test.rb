# frozen_string_literal: true

require_relative "pnpm_case"
require "open3"

module Spate
  class PnpmPatchTest < PnpmCase
    def test_applies_the_output_of_git_diff
      before = { "a.js" => "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "gone.js" => "x\n", "end.js" => "a\nb" }
      after = { "a.js" => "1\n2\nnew\n4\n5\n6\n7\n8\n9\n10\n12\n13\n", "new/b.js" => "hello\n",
                "end.js" => "a\nb\nc\n" }

      assert_equal after, applied(before, difference(before, after))
      assert_equal before, applied(after, difference(after, before))
    end

    def test_moved_hunks_and_trailing_spaces_are_accepted
      patch = difference({ "a" => "1\n2\n3\n" }, { "a" => "1\ntwo\n3\n" })

      assert_equal({ "a" => "#{"0\n" * 20}1  \ntwo\n3\n" }, applied({ "a" => "#{"0\n" * 20}1  \n2\n3\n" }, patch))
      error = assert_raises(JS::Pnpm::Patch::FailedError) { applied({ "a" => "#{"0\n" * 21}1\n2\n3\n" }, patch) }

      assert_match(/a.patch: hunk 1 does not apply to a\z/, error.message)
    end

    def test_a_file_that_the_package_does_not_contain
      patch = difference({ "lib/a" => "1\n" }, { "lib/a" => "2\n" })
      error = assert_raises(JS::Pnpm::Patch::FailedError) { applied({}, patch) }

      assert_match(%r{a.patch: it changes lib/a, which the package does not contain\z}, error.message)
    end

    # Added lines keep the line end that they have in the patch.
    def test_line_endings
      patch = difference({ "a" => "1\n2\n" }, { "a" => "1\n3\n" })

      assert_equal({ "a" => "1\r\n3\n" }, applied({ "a" => "1\r\n2\r\n" }, patch))
      assert_equal({ "a" => "1\n3\r\n" }, applied({ "a" => "1\n2\n" }, patch.gsub("\n", "\r\n")))
      assert_equal({ "n" => "3\r\n" }, applied({}, difference({}, { "n" => "3\n" }).gsub("\n", "\r\n")))
    end

    def test_changes_already_present_are_not_an_error
      before = { "a" => "1\n", "gone" => "x\n" }
      after = { "a" => "2\n", "new" => "y\n" }

      assert_equal after, applied(after, difference(before, after))
    end

    def test_keeps_modes_and_other_files_with_the_same_inode
      write("p/a", "1\n")
      File.chmod(0o755, "#{@root}/p/a")
      File.link("#{@root}/p/a", "#{@root}/store")
      write("a.patch", difference({ "a" => "1\n" }, { "a" => "2\n" }))
      JS::Pnpm::Patch.apply("#{@root}/p", "#{@root}/a.patch")

      assert_equal ["2\n", "1\n", 0o755], [File.read("#{@root}/p/a"), File.read("#{@root}/store"),
                                           File.stat("#{@root}/p/a").mode & 0o777]
    end

    # Like CVE-2026-23889: a patch with a path outside of the package.
    def test_writes_nothing_outside_the_package
      ["../x", "/x", "a/../../x", ".."].each do |path|
        patch = "diff --git a/x b/x\n--- /dev/null\n+++ b/#{path}\n@@ -0,0 +1 @@\n+x\n"
        assert_raises(JS::Pnpm::Patch::FailedError, path) { applied({ "a" => "1\n" }, patch) }
      end
      FileUtils.mkdir_p(["#{@root}/p", "#{@root}/outside"])
      File.symlink("../outside", "#{@root}/p/l")
      write("a.patch", "diff --git a/l/x b/l/x\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+x\n")
      assert_raises(JS::Pnpm::Patch::FailedError) { JS::Pnpm::Patch.apply("#{@root}/p", "#{@root}/a.patch") }

      assert_empty Dir.children("#{@root}/outside")
    end

    def test_rejects_patches_that_pnpm_rejects
      ["diff --git a/a b/b\ncopy from a\ncopy to b\n", "diff --git a/a b/a\nGIT binary patch\n", "",
       "--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n-1\n", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n*1\n",
       "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-1\n+2\n"].each do |patch|
        patch = "diff --git a/a b/a\n#{patch}" if patch.start_with?("---")
        assert_raises(JS::Pnpm::Patch::FailedError, patch) { applied({ "a" => "1\n" }, patch) }
      end
    end

    def test_renames_with_and_without_changes
      moved = "diff --git a/a b/n/b\nrename from a\nrename to n/b\n"
      change = "--- a/a\n+++ b/n/b\n@@ -1 +1 @@\n-1\n+2\n"

      assert_equal({ "n/b" => "1\n" }, applied({ "a" => "1\n" }, moved))
      assert_equal({ "n/b" => "2\n" }, applied({ "a" => "1\n" }, moved + change))
      assert_raises(JS::Pnpm::Patch::FailedError) { applied({ "a" => "1\n" }, moved.gsub("n/b", "../b")) }
      assert_raises(JS::Pnpm::Patch::FailedError) { applied({ "a" => "1\n", "n/b" => "1\n" }, moved) }
    end

    def test_mode_change_keeps_the_content
      binary = "\xFF\x00"
      patch = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"

      assert_equal({ "a" => binary }, applied({ "a" => binary }, patch))
      assert_equal 0o755, File.stat("#{@root}/p/a").mode & 0o777
    end

    def test_only_a_loose_patch_ignores_existing_content
      gone = "diff --git a/a b/a\ndeleted file mode 100644\n"
      lines = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n"
      made = "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+2\n"
      binary = "diff --git a/a b/a\nBinary files a/a and b/a differ\n"

      assert_empty applied({ "a" => "1\n" }, gone)
      { gone + lines => {}, made => { "a" => "2\n" }, binary => { "a" => "1\n" }, "" => { "a" => "1\n" } }
        .each do |patch, after|
          assert_raises(JS::Pnpm::Patch::FailedError) { applied({ "a" => "1\n" }, patch) }
          assert_equal after, applied({ "a" => "1\n" }, patch, loose: true)
        end
    end

    private

    def applied(files, patch, loose: false)
      FileUtils.rm_rf("#{@root}/p")
      files.each { |name, text| write("p/#{name}", text) }
      write("a.patch", patch)
      JS::Pnpm::Patch.apply("#{@root}/p", "#{@root}/a.patch", loose: loose)
      Dir.glob("**/*", base: "#{@root}/p").select { |name| File.file?("#{@root}/p/#{name}") }
         .to_h { |name| [name, File.read("#{@root}/p/#{name}")] }
    end

    def difference(before, after)
      Dir.mktmpdir do |folder|
        { "a" => before, "b" => after }.each do |side, files|
          FileUtils.mkdir_p("#{folder}/#{side}")
          files.each do |name, text|
            FileUtils.mkdir_p(File.dirname("#{folder}/#{side}/#{name}"))
            File.write("#{folder}/#{side}/#{name}", text)
          end
        end
        text, = Open3.capture2("git", "diff", "--no-index", "--no-prefix", "a", "b", chdir: folder)
        text
      end
    end
  end
end
