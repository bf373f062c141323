# frozen_string_literal: true

require_relative "restore_case"
require "minitest/mock"

module Spate
  # Packages to which a patch of the project is applied: their names in the store, verification, and repair.
  class JSRestorePatchedTest < RestoreCase
    PATCH = <<~PATCH
      diff --git a/x.js b/x.js
      --- a/x.js
      +++ b/x.js
      @@ -1,2 +1,2 @@
       first
      -second
      +patched
    PATCH

    def setup
      @package = package("a", files: { "x.js" => "first\nsecond\n", "y.js" => "y" })
      write("app/patches/a.patch", PATCH)
    end

    def patched = tree("node_modules/a", @package, patch: "patches/a.patch")

    def test_patched_package_is_a_separate_package
      restore(plan(patched, tree("node_modules/b/node_modules/a", @package)))
      assert_equal "first\npatched\n", read("node_modules/a/x.js")
      assert_equal "first\nsecond\n", read("node_modules/b/node_modules/a/x.js")
      assert_equal ["a@1.0.0"], client.asked.uniq
      assert_equal 2, Dir.children(store.path("packages")).size
    end

    def test_patch_edited_while_it_is_read_gets_its_own_name
      edit = -> { write("app/patches/a.patch", PATCH.sub("+patched", "+edited")) }
      apply = JS::Pnpm::Patch.method(:apply)
      JS::Pnpm::Patch.stub(:apply, ->(*words, **loose) { apply.call(*words, **loose).tap { edit.call } }) do
        restore(plan(patched))
      end
      FileUtils.rm_rf(inside("node_modules"))
      restore(plan(patched))
      assert_equal "first\nedited\n", read("node_modules/a/x.js")
    end

    # A file that the patch does not change is the same inode in the store, in the patched and in the unpatched package.
    def test_one_restore_repairs_an_edit_in_place
      options = { restore: :all }
      { "with" => patched, "without" => tree("node_modules/a", @package) }.each do |edited, made|
        restore(plan(made))
        File.write(inside("node_modules/a/y.js"), "hacked", mode: "a")
        client.asked.clear
        assert_raises(JS::Restore::NotLocalError, edited) do
          restore(plan(patched), options: JS::Options.new(local: true, **options))
        end
        report = restore(plan(patched), options: JS::Options.new(**options))
        assert_equal %W[y first\npatched\n], [read("node_modules/a/y.js"), read("node_modules/a/x.js")], edited
        assert_equal [%w[a@1.0.0], 1], [client.asked, report.fetched], edited
        assert_empty Store::Verify.new(store).call.damaged
      end
    end

    def test_damaged_patched_file_is_repaired_without_the_network
      restore(plan(patched))
      object = Dir.glob(store.path("objects/*/*")).find { |file| File.read(file).include?("patched") }
      File.chmod(0o644, object)
      File.write(object, "damaged")
      FileUtils.rm_rf(inside("node_modules"))
      client.asked.clear
      restore(plan(patched))
      assert_equal ["first\npatched\n", []], [read("node_modules/a/x.js"), client.asked]
    end

    # Versions of pnpm can apply one patch with different results. A loose result is stored under a different name.
    def test_loose_patch_has_a_separate_name
      restore(plan(patched))
      FileUtils.rm_rf(inside("node_modules"))
      other = plan(patched)
      other.rewrites = [:loose]
      restore(other)

      assert_equal "first\npatched\n", read("node_modules/a/x.js")
      names = Dir.children(store.path("packages"))

      assert_equal [1, 3], [names.grep(/-loose\z/).size, names.size]
    end

    def test_stored_package_is_replaced_for_another_patch
      restore(plan(patched))
      client.asked.clear
      FileUtils.rm_rf(inside("node_modules"))
      assert_equal 0, restore(plan(patched)).fetched
      assert_equal "first\npatched\n", read("node_modules/a/x.js")
      write("app/patches/a.patch", PATCH.sub("+patched", "+again"))
      report = restore(plan(patched))
      assert_equal "first\nagain\n", read("node_modules/a/x.js")
      assert_empty client.asked
      assert_equal [1, 0], [report.linked, report.fetched]
    end

    def test_a_patch_that_does_not_fit_ends_the_restore
      write("app/patches/a.patch", PATCH.sub("-second", "-other"))
      assert_raises(Spate::Error) { restore(plan(patched)) }
      assert_empty Dir.children(store.path("tmp"))
    end

    def test_patched_package_json_is_used
      write("app/patches/a.patch", <<~PATCH)
        diff --git a/package.json b/package.json
        --- a/package.json
        +++ b/package.json
        @@ -1,1 +1,1 @@
        -{"name":"a","version":"1.0.0"}
        \\ No newline at end of file
        +{"name":"a","version":"1.0.0","bin":"x.js"}
      PATCH
      restore(plan(patched))
      assert_equal "../a/x.js", File.readlink(inside("node_modules/.bin/a"))
      assert_equal 0o755, File.stat(inside("node_modules/a/x.js")).mode & 0o777
    end
  end
end
