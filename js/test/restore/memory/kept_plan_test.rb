# frozen_string_literal: true

require_relative "../restore_case"

module Spate
  # Memory::KeptPlan loads a stored plan only if no other user can have written it.
  class JSRestoreKeptPlanTest < RestoreCase
    def kept(store = self.store) = JS::Restore::Memory::KeptPlan.new(store, root, "here")
    def plain = @plain ||= plan(tree("node_modules/a", package("a")), bins: [])

    def sources
      JS::Restore::Memory::Sources.of(plain, JS::Reading.new, JS::Restore::Memory::Sources.clock, store)
    end

    def path = kept.path("")
    def save(store = self.store) = kept(store).save(plain, JS::Reading.new, sources)

    def setup
      assert save
    end

    def test_own_plan_is_read
      assert_equal ["node_modules/a"], kept.load.first.trees.map(&:path)
    end

    def test_files_writable_by_others_are_not_read
      [path, File.dirname(path), store.root, store.home].each do |each|
        mode = File.stat(each).mode & 0o7777
        [0o020, 0o002].each do |others|
          File.chmod(mode | others, each)
          assert_nil kept.load, "#{each} #{others.to_s(8)}"
        end
        File.chmod(mode, each)
      end
      refute_nil kept.load
    end

    def test_own_files_in_a_sticky_folder_are_read
      File.chmod(0o1777, store.home)
      refute_nil kept.load
    end

    def test_a_link_is_not_followed
      File.rename(path, elsewhere = "#{path}0")
      File.symlink(elsewhere, path)
      assert_nil kept.load
    end

    def test_files_of_another_user_are_not_read
      skip "needs root, to give a file away" unless Process.euid.zero?
      [path, File.dirname(path), store.root].each do |each|
        File.chown(65_534, nil, each)
        assert_nil kept.load, each
        File.chown(0, nil, each)
      end
      refute_nil kept.load
    end

    def test_a_store_of_another_user_is_not_read
      own = Store.new(File.join(folder, "own"), File.join(folder, "own/store"))
      foreign = Store.new(store.home, store.root) { own }
      foreign.define_singleton_method(:writable?) { false }
      assert_equal [own, foreign], foreign.all_stores
      assert_nil kept(foreign).load
      assert save(foreign)
      refute_nil kept(foreign).load
    end
  end
end
