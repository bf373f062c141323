# frozen_string_literal: true

require_relative "pnpm_case"

module Spate
  class PnpmLockfileTest < PnpmCase
    def test_other_versions_are_left_to_pnpm
      write("package.json", {})
      write("pnpm-lock.yaml", "lockfileVersion: '6.0'\n")

      assert_raises(JS::LeftToTool) { plan }
      write("pnpm-lock.yaml", "lockfileVersion: '10.0'\n")
      error = assert_raises(JS::LockfileError) { plan }

      assert_match(/`lockfileVersion`: expected 9.0, found "10.0"/, error.message)
    end

    def test_last_document_describes_the_project
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} })
      own = "lockfileVersion: '9.0'\nimporters:\n  .:\n    packageManagerDependencies: {}\n"
      main = File.read("#{@root}/pnpm-lock.yaml")
      write("pnpm-lock.yaml", "---\n#{own}---\n#{main}")

      assert_equal ["node_modules/.pnpm/a@1.0.0/node_modules/a"], paths
      assert_equal main, plan.state.files(outcome)["node_modules/.pnpm/lock.yaml"]
    end

    def test_a_dependency_on_a_missing_snapshot_is_an_error
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } } })

      assert_match(/a@1.0.0 needs "b@1.0.0"/, assert_raises(JS::LockfileError) { plan }.message)
      project({ "a" => "2.0.0" }, { "a@1.0.0" => {} })

      assert_match(/"a@2.0.0", which is not in/, assert_raises(JS::LockfileError) { plan }.message)
    end

    # Like CVE-2026-24056 and CVE-2026-55699: a name that is a path.
    def test_names_with_parent_folders
      ["../a", "a/../../b", "/a", "@a/../b", ".", "..", "node_modules", ".bin", "a\\b", "a\nb", "@a",
       "a/b"].each do |name|
        project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { name => "x@1.0.0" } }, "x@1.0.0" => {} })
        assert_raises(JS::UnsafeNameError, name) { plan }
        project({ name => "x@1.0.0" }, { "x@1.0.0" => {} })
        assert_raises(JS::UnsafeNameError, name) { plan }
      end
      ["../a@1.0.0", "a/../b@1.0.0", ".bin@1.0.0"].each do |key|
        project({ "a" => key }, { key => {} })
        assert_raises(JS::UnsafeNameError, JS::LockfileError, key) { plan }
      end
    end

    def test_versions_with_parent_folders_become_one_folder_name
      project({ "a" => "../../../x" }, { "a@../../../x" => {} })

      assert_equal ["node_modules/.pnpm/a@..+..+..+x/node_modules/a"], paths
    end

    def test_importers_outside_the_project
      ["../x", "/x", "a/../../x", "C:x", "a\\b"].each do |id|
        write("package.json", {})
        lock({ "." => {}, id => {} })
        assert_raises(JS::UnsafePathError, id) { plan }
      end
    end

    def test_keys_that_would_share_a_folder
      project({ "a" => "x/y" }, { "a@x/y" => { "dependencies" => { "a2" => "a@x+y" } }, "a@x+y" => {} })

      assert_match(/would share the folder a@x\+y/, assert_raises(JS::LockfileError) { plan }.message)
    end

    def test_cycles_end
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } },
                                    "b@1.0.0" => { "dependencies" => { "a" => "1.0.0", "b" => "1.0.0" } } })

      assert_equal 2, paths.size
      assert_equal "../../b@1.0.0/node_modules/b", links["node_modules/.pnpm/a@1.0.0/node_modules/b"]
    end

    def test_an_unsupported_digest
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} },
              packages: { "a@1.0.0" => { "resolution" => { "integrity" => "md5-x" } } })

      assert_match(/unsupported integrity "md5-x"/, assert_raises(JS::LockfileError) { plan }.message)
    end

    def test_resolutions_without_an_archive_are_left_to_pnpm
      [{ "type" => "git", "repo" => "x", "commit" => "y" }, { "type" => "directory", "directory" => "../x" },
       { "tarball" => "https://codeload.github.com/a/b/tar.gz/c" }, { "tarball" => "x", "gitHosted" => true },
       { "type" => "binary", "url" => "x" }].each do |resolution|
        project({ "a" => "1.0.0" }, { "a@1.0.0" => {} }, packages: { "a@1.0.0" => { "resolution" => resolution } })
        assert_raises(JS::LeftToTool, resolution.inspect) { plan }
      end
    end
  end
end
