# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # In a global virtual store, each tree is created once, in a slot, and projects link to it. Damaged slots are
  # replaced.
  class JSRestoreSlotsTest < RestoreCase
    def links = @links ||= JS::Restore::Place::Slots.folder(store)
    def slot(name) = "#{links}/v/@/#{name}/1.0.0/0abc"

    def shared(root: self.root)
      files = { "x.js" => "a", "lib.js" => "lib" }
      @packages ||= { "a" => package("a", json: { bin: "x.js" }, files: files), "b" => package("b") }
      trees = @packages.map { |name, package| tree("#{slot(name)}/node_modules/#{name}", package) }
      plan(*trees, links: { "#{slot("a")}/node_modules/b" => "../../../../b/1.0.0/0abc/node_modules/b",
                            "node_modules/a" => "#{slot("a")}/node_modules/a" }, bins: [])
        .tap { |made| made.root = root }
    end

    def test_slot_is_complete
      report = restore(shared)
      assert_equal [2, 2], [report.linked, report.fetched]
      assert_equal "a", read("node_modules/a/x.js")
      assert_equal %w[a b], Dir.children("#{slot("a")}/node_modules").sort
      assert_path_exists "#{slot("a")}/node_modules/b/package.json"
      assert_equal [".state", "a"], Dir.children(inside("node_modules")).sort
      assert JS::Restore::Memory::Record.load(store, root).hold?("here")
    end

    def test_another_project_only_adds_links
      restore(shared)
      before = File.stat(slot("a")).ino
      other = File.realpath(File.dirname(write("other/package.json", "{}")))
      report = restore(shared(root: other))
      assert_equal [0, 2], [report.linked, report.reused]
      assert_equal before, File.stat(slot("a")).ino
      assert_equal "a", File.read("#{other}/node_modules/a/x.js")
    end

    def test_incomplete_slots_are_replaced
      restore(shared)
      File.unlink("#{slot("a")}/node_modules/a/package.json")
      write(slot("b"), "") if FileUtils.rm_rf(slot("b"))
      report = restore(shared)
      assert_equal 2, report.linked
      assert_path_exists "#{slot("a")}/node_modules/a/package.json"
      assert_path_exists "#{slot("b")}/node_modules/b/package.json"
      assert_equal %w[0abc], Dir.children("#{links}/v/@/a/1.0.0")
    end

    def test_eight_concurrent_restores_create_each_slot_once
      made = shared
      pids = Array.new(8) do |number|
        root = File.realpath(File.dirname(write("other#{number}/package.json", "{}")))
        fork do
          restore(shared(root: root), store: Store.open(home: File.join(folder, "home"), env: {}))
          exit!(0)
        rescue Exception # rubocop:disable Lint/RescueException -- minitest must not run in the child
          exit!(1)
        end
      end
      assert_equal [0] * 8, pids.map { |pid| Process.wait2(pid).last.exitstatus }
      assert_equal %w[0abc], Dir.children("#{links}/v/@/a/1.0.0")
      assert_path_exists "#{made.trees.first.path}/x.js"
    end

    # Edits in the slot of a. The next restore replaces this slot, and keeps that of b.
    { "a file" => ->(slot) { File.write("#{slot}/node_modules/a/x.js", "changed") },
      "a file that is gone" => ->(slot) { File.unlink("#{slot}/node_modules/a/x.js") },
      "a link" => ->(slot) { relink("#{slot}/node_modules/b", "/tmp") },
      "a link that is gone" => ->(slot) { File.unlink("#{slot}/node_modules/b") },
      "a package beside it" => ->(slot) { FileUtils.mkdir_p("#{slot}/node_modules/other") },
      "a folder of names that all users can write to" => ->(slot) { File.chmod(0o777, "#{slot}/node_modules") },
      "a folder that all users can write to" => ->(slot) { File.chmod(0o777, slot) },
      "a link in the slot's place" => ->(slot) { File.rename(slot, "#{slot}.old") && File.symlink("0abc.old", slot) },
      "a file in the slot's place" => ->(slot) { FileUtils.rm_rf(slot) && File.write(slot, "") } }
      .each do |what, edit|
      define_method(:"test_#{what.tr(" '", "__")}_that_somebody_edited_is_healed") do
        restore(shared)
        before = [slot("a"), slot("b")].map { |path| File.stat(path).ino }
        edit.call(slot("a"))
        report = restore(shared, surroundings: "another")
        assert_equal ["a", "../../../../b/1.0.0/0abc/node_modules/b"],
                     [read("node_modules/a/x.js"), File.readlink("#{slot("a")}/node_modules/b")], what
        refute_equal before.first, File.lstat(slot("a")).ino
        assert_equal before.last, File.lstat(slot("b")).ino
        assert_equal 2, report.total
        assert_empty Dir.children(store.path("tmp"))
      end
    end

    def self.relink(path, target)
      File.unlink(path)
      File.symlink(target, path)
    end

    # The edit also changed the store's object, so the archive is fetched again.
    def test_next_restore_repairs_an_edit_in_place
      restore(shared)
      edit
      client.asked.clear
      error = assert_raises(JS::Restore::NotLocalError) do
        restore(shared, surroundings: "another", options: JS::Options.new(local: true))
      end
      assert_equal [6, "the store does not have a@1.0.0"], [error.exit_code, error.message]
      assert_empty client.asked

      report = restore(shared, surroundings: "another")
      assert_equal "lib", read("node_modules/a/lib.js")
      assert_equal [%w[a@1.0.0], 1], [client.asked, report.fetched]
      assert_empty Dir.children(store.path("tmp"))
    end

    def test_next_restore_repairs_an_edit_in_a_patched_package
      lines = ["diff --git a/x.js b/x.js", "--- a/x.js", "+++ b/x.js", "@@ -1,1 +1,1 @@", "-a",
               "\\ No newline at end of file", "+patched"]
      write("app/a.patch", "#{lines.join("\n")}\n")
      made = shared.tap { |plan| plan.trees.first.patch = "a.patch" }
      restore(made)
      edit
      client.asked.clear
      assert_equal 1, restore(made, surroundings: "another").fetched
      assert_equal ["lib", "patched\n", %w[a@1.0.0]],
                   [read("node_modules/a/lib.js"), read("node_modules/a/x.js"), client.asked]
    end

    def test_an_edited_slot_of_an_optional_package_that_is_not_available
      lost = shared.tap { |made| made.trees.first.optional = true }
      restore(lost)
      edit
      client.archives["a@1.0.0"] = Error.new("gone")
      assert_equal [lost.trees.first.path], restore(lost, surroundings: "another").skipped.keys
      refute File.symlink?(inside("node_modules/a"))
    end

    def edit = File.write("#{slot("a")}/node_modules/a/lib.js", "edited", mode: "a")

    def test_edit_in_place_affects_no_other_slot
      restore(shared)
      File.write("#{slot("a")}/node_modules/a/x.js", "edited through the link")
      restore(shared(root: File.realpath(File.dirname(write("other/package.json", "{}")))))
      assert_equal "a", read("node_modules/a/x.js")
      assert_empty Store::Verify.new(store).call.damaged
    end

    def test_slots_are_not_writable_by_others_with_any_umask
      before = File.umask(0)
      restore(shared)
      open = Dir.glob("#{links}/**/*").reject { |path| File.symlink?(path) || File.stat(path).mode & 0o022 == 0 }
      assert_empty open
      assert_equal 2, restore(shared, surroundings: "another").reused
    ensure
      File.umask(before)
    end

    def test_a_store_behind_a_link
      FileUtils.mkdir_p(File.join(folder, "far/away"))
      File.symlink("far/away", File.join(folder, "home"))
      restore(shared)
      assert_equal "a", read("node_modules/a/x.js")
      assert_path_exists "#{slot("a")}/node_modules/b/package.json"
      assert links.start_with?(File.realpath(File.join(folder, "far/away")))
    end

    def test_packages_named_like_parts_of_the_path
      names = %w[links store v1 home].to_h { |name| [name, package(name)] }
      trees = names.map { |name, package| tree("#{slot(name)}/node_modules/#{name}", package) }
      restore(plan(*trees, bins: []))
      names.each_key { |name| assert_path_exists "#{slot(name)}/node_modules/#{name}/package.json" }
      assert_equal 4, restore(plan(*trees, bins: [])).reused
    end

    def test_prune_keeps_slots_in_use
      restore(shared)
      prune = -> { Store::Prune.new(store, older_than: 0).call }
      assert_equal 0, prune.call.slots.to_i
      assert_equal "a", read("node_modules/a/x.js")
      trees = shared.trees
      restore(plan(trees[1], bins: []))
      dry = Store::Prune.new(store, older_than: 0, dry_run: true).call
      assert_equal [1, true], [dry.slots, File.exist?(slot("a"))]
      assert_equal 1, prune.call.slots
      assert_equal %w[b], Dir.children("#{links}/v/@")
    end

    def test_prune_waits_for_a_restore_that_is_about_to_use_a_slot
      restore(shared)
      FileUtils.rm_rf(inside("node_modules"))
      store.lock("store", shared: true) do
        assert_raises(Store::Locked) { Store::Prune.new(store, older_than: 0).call(wait: false) }
      end
      assert_path_exists slot("a")
    end

    def test_a_project_that_cannot_be_recorded_uses_no_slot
      write("home/store/v1/bundles", "")
      assert_raises(Store::ReadOnly) { restore(shared) }
      refute_path_exists slot("a")
    end

    def test_check_reports_edits_in_a_slot
      restore(made = shared)
      check = -> { JS::Restore::Check.new(context, made).call.differences.map { |found| [found.path, found.kind] } }
      assert_empty check.call
      File.write("#{slot("a")}/node_modules/a/x.js", "edited")
      File.unlink("#{slot("a")}/node_modules/b")
      assert_equal [["#{slot("a")}/node_modules/a/x.js", :changed], ["#{slot("a")}/node_modules/b", :missing]],
                   check.call
    end

    def context
      JS::Restore::Context.new(root: root, env: {}, store: store, events: Events.new, options: JS::Options.new)
    end

    def test_a_path_in_no_slot_is_refused
      made = shared
      made.trees << tree("/etc/node_modules/a", @packages["a"])
      assert_raises(JS::Restore::FolderError) { restore(made) }
      made.trees[-1] = tree("#{links}/v/@/a/1.0.0/node_modules/a", @packages["a"])
      assert_raises(JS::Restore::FolderError) { restore(made) }
      made.trees[-1] = tree("#{links}/../../x/links/node_modules/a", @packages["a"])
      assert_raises(JS::UnsafePathError) { restore(made) }
    end
  end
end
