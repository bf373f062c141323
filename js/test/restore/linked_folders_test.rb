# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # If a folder of a project was replaced with a link to another folder, a restore writes and removes nothing in the
  # link's target.
  class JSRestoreLinkedFoldersTest < RestoreCase
    # Moves a folder out of the project, and replaces it with a link.
    def move(path)
      away = File.join(folder, "away")
      File.rename(inside(path), away)
      File.symlink(away, inside(path))
      away
    end

    def test_a_linked_project_folder_is_refused_before_anything_changes
      restore(plan(tree("node_modules/a", package("a"))))
      precious = write("other/node_modules/precious/file", "mine")
      FileUtils.mkdir_p(inside("packages"))
      File.symlink("../../other", inside("packages/a"))
      error = assert_raises(JS::Restore::FolderError) do
        restore(plan(tree("node_modules/a", package("a")), projects: [".", "packages/a"]))
      end
      assert_match(%r{packages/a is a symbolic link}, error.message)
      assert_path_exists precious
      assert_path_exists inside("node_modules/.state")
    end

    def test_a_tree_behind_a_link_is_not_in_place
      ["node_modules/@s/a", "node_modules/@s"].each do |moved|
        FileUtils.rm_rf([inside("node_modules"), File.join(folder, "away")])
        wanted = plan(tree("node_modules/@s/a", package("@s/a")))
        restore(wanted)
        away = move(moved)
        write("away/precious", "mine")
        restore(wanted, surroundings: "changed")
        refute File.symlink?(inside(moved)), moved
        assert_path_exists inside("node_modules/@s/a/package.json")
        assert_path_exists File.join(away, "precious")
      end
    end

    def test_state_behind_a_link_is_left_alone
      wanted = plan(tree("node_modules/.pnpm/a@1/node_modules/a", package("a")))
      restore(wanted)
      away = move("node_modules/.pnpm")
      write("away/lock.yaml", "mine")
      restore(wanted, surroundings: "changed")
      refute File.symlink?(inside("node_modules/.pnpm"))
      assert_equal "mine", File.read(File.join(away, "lock.yaml"))
      assert_path_exists inside("node_modules/.pnpm/a@1/node_modules/a/package.json")
    end
  end
end
