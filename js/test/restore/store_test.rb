# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # `spate store status`, `verify` and `prune` with npm packages.
  class JSRestoreStoreTest < RestoreCase
    def setup
      @a = package("a", files: { "x.js" => "a" })
      @b = package("b", files: { "x.js" => "b" })
      restore(plan(tree("node_modules/a", @a), tree("node_modules/b", @b)))
    end

    def record = JS::Restore::Memory::Record.load(store, root)
    def keys = Dir.children(store.path("packages")).sort
    def both = [@a, @b].map { |package| package.integrity.key }.sort

    def prune(**options) = Store::Prune.new(store, older_than: 0, **options).call

    def test_packages_are_stored_by_integrity
      assert_equal both, keys
      assert_empty Dir.children(store.path("archives"))
    end

    def test_packages_in_use_are_not_pruned
      result = prune(now: Time.now + 1_000_000)
      assert_equal 0, result.packages
      assert_equal both, keys
      assert record.nil? || record.hold?("here")
    end

    def test_unused_packages_are_pruned
      restore(plan(tree("node_modules/a", @a)))
      assert_equal 1, prune(now: Time.now + 10).packages
      assert_equal [@a.integrity.key], keys
      assert_equal "a", read("node_modules/a/x.js")
    end

    def test_a_project_without_its_node_modules_uses_nothing
      FileUtils.rm_rf(inside("node_modules"))
      assert_equal 2, prune(now: Time.now + 10).packages
      assert_empty Dir.glob("objects/*/*", base: store.root)
    end

    def test_old_manifests_are_not_leftovers
      keys.each { |key| File.utime(0, 0, store.package_path(key)) }
      write("home/store/v1/packages/#{keys.first}.tmp-1", "")
      File.utime(0, 0, "#{store.package_path(keys.first)}.tmp-1")
      assert_equal 1, Store::Sweep.new(store).call
      assert_equal both, keys
    end

    def test_status_counts_packages
      result = Store::Status.new(store).call
      assert_equal [2, 0], [result.packages.files, result.unused.files]
      assert_equal [[root, 2]], (result.projects.map { |project| [project.app, project.packages] })
    end

    def test_verify_removes_damaged_packages_and_they_are_fetched_again
      path = Dir.glob(store.path("objects/*/*")).find { |file| File.read(file) == "a" }
      File.chmod(0o644, path)
      File.write(path, "damaged")
      result = Store::Verify.new(store).call
      assert_equal [:dropped], result.damaged.map(&:outcome).uniq
      assert_equal [@b.integrity.key], keys
      FileUtils.rm_rf(inside("node_modules"))
      client.asked.clear
      restore(plan(tree("node_modules/a", @a), tree("node_modules/b", @b)))
      assert_equal ["a@1.0.0"], client.asked
      assert_equal "a", read("node_modules/a/x.js")
    end

    def test_prune_waits_for_a_restore
      held = Thread::Queue.new
      thread = Thread.new { store.lock("store", shared: true) { held << true && sleep } }
      held.pop
      assert_raises(Store::Locked) { Store::Prune.new(store, older_than: 0).call(wait: false) }
    ensure
      thread.kill.join
    end
  end
end
