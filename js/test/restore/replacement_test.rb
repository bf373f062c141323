# frozen_string_literal: true

require_relative "restore_case"
require "minitest/mock"

module Spate
  # An existing node_modules of any tool is kept until the new one is complete.
  class JSRestoreReplacementTest < RestoreCase
    STATE = State.new("node_modules/.package-lock.json")

    def setup
      @old = plan(tree("node_modules/a", package("a", json: { bin: "x.js" }, files: { "x.js" => "old" })),
                  tree("node_modules/gone", package("gone")),
                  tree("node_modules/same", package("same", files: { "big" => "s" * 40_000 })),
                  links: { "node_modules/link" => "old" }, state: STATE)
      a = package("a", "2.0.0", json: { bin: "x.js" }, files: { "x.js" => "new", "big" => "n" * 400_000 })
      @new = plan(tree("node_modules/a", a), tree("node_modules/a/node_modules/b", package("b")),
                  tree("node_modules/b", package("b", "2.0.0")), tree("node_modules/same", @old.trees[2].package),
                  links: { "node_modules/link" => "new", "node_modules/other" => "a" },
                  state: STATE)
    end

    # A node_modules of another tool: the same files, without a record in the store.
    def theirs
      restore(@old)
      FileUtils.cp_r(inside("node_modules"), inside("copy"), preserve: true)
      FileUtils.rm_rf(inside("node_modules"))
      File.rename(inside("copy"), inside("node_modules"))
      write("app/node_modules/.cache/x", "cached")
      write("app/node_modules/stray/x", "stray")
      @store = Store.open(home: File.join(folder, "another"), env: {})
    end

    def ours = restore(@old)

    # { path => description }
    def snapshot
      all.to_h do |path|
        full = inside("node_modules/#{path}")
        stat = File.lstat(full)
        [path, [stat.mode, stat.symlink? ? File.readlink(full) : (Store.sha256(File.read(full)) if stat.file?)]]
      end
    end

    def assert_untouched(error, &)
      %i[theirs ours].each do |made|
        FileUtils.rm_rf(Dir.glob("{node_modules,.[a-z]*}", base: root).map { |path| inside(path) })
        public_send(made)
        before = snapshot
        assert_raises(error, &)
        assert_equal before, snapshot, made
        assert_empty Dir.children(store.path("tmp"))
      end
    end

    def assert_new
      assert_equal %w[.bin .bin/a .package-lock.json a a/big a/node_modules a/node_modules/b
                      a/node_modules/b/package.json a/package.json a/x.js b b/package.json link other same same/big
                      same/package.json],
                   all.grep_v(/\.cache/)
      assert_equal "new", read("node_modules/a/x.js")
    end

    def test_a_package_that_is_not_available_leaves_everything_unchanged
      good = client.archives["b@2.0.0"]
      [Spate::HTTP::Error.new("500"), tarball({ "package.json" => "{}" })].each do |bad|
        client.archives["b@2.0.0"] = bad
        assert_untouched(bad.is_a?(String) ? JS::Restore::ChecksumError : Spate::HTTP::Error) { restore(@new) }
      end
      client.archives["b@2.0.0"] = good
      restore(@new)
      assert_new
    end

    def test_interruption_while_packages_are_placed_changes_nothing
      %i[js_linked js_link_done].each do |kind|
        events = Events.new.subscribe { |event| raise Interrupted, "now" if event[:event] == kind }
        assert_untouched(Interrupted) { restore(@new, events: events) }
      end
      assert_untouched(Interrupted) { after_entries(-> { raise Interrupted, "now" }) { restore(@new) } }
      restore(@new)
      assert_new
    end

    # During the block, calls the callable each time links and bins have been placed.
    def after_entries(callable, &)
      make = JS::Restore::Place::Entries.method(:new)
      entries = lambda do |*arguments|
        made = make.call(*arguments)
        ->(given) { [made.call(given), callable.call] }
      end
      JS::Restore::Place::Entries.stub(:new, entries, &)
    end

    # A script or another step fails after all packages are placed.
    def test_a_late_failure_keeps_the_new_node_modules
      ours
      @new.state = State.new("node_modules/.package-lock.json")
      @new.state.define_singleton_method(:files) { |_| raise Spate::Error, "late" }
      assert_raises(Spate::Error) { restore(@new) }
      assert_equal "new", read("node_modules/a/x.js")
      refute_path_exists inside(STATE.path)
    end

    # Docker's volumes and bind mounts cannot be renamed, and the store is on another file system.
    def test_a_node_modules_that_is_a_mount
      mount("8m")
      theirs_in_mount
      restore(@new)
      assert_new
      assert_path_exists inside("node_modules/.cache/x")
      restore(@old)
      assert_equal "old", read("node_modules/a/x.js")
    end

    def test_a_mount_that_is_too_small_keeps_its_files
      mount("300k")
      theirs_in_mount
      before = snapshot
      assert_raises(Store::Full) { restore(@new) }
      assert_equal before, snapshot
    end

    def mount(size)
      skip "needs root, for mounts" unless Process.euid.zero?
      FileUtils.mkdir_p(@mount = inside("node_modules"))
      system("mount", "-t", "tmpfs", "-o", "mode=755,size=#{size}", "tmpfs", @mount) || skip("no tmpfs here")
    end

    def theirs_in_mount
      write("app/node_modules/a/x.js", "theirs")
      write("app/node_modules/stray/x", "stray")
      write("app/node_modules/.cache/x", "cached")
    end

    def teardown
      system("umount", "-l", @mount, err: File::NULL) if @mount
      super
    end

    def test_leftovers_of_a_kill_are_removed
      ours
      write("app/node_modules/.spate-old.1/old/x", "")
      restore(@new)
      assert_new
    end
  end
end
