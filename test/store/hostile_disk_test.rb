# frozen_string_literal: true

require "store/store_case"

module Spate
  class Store
    # A store on a full disk keeps its files, and a read-only store can be read. Errors name the cause.
    class HostileDiskTest < StoreCase
      def teardown
        system("umount", @mount, err: File::NULL) if @mount
        super
      end

      def test_full_disk
        tmpfs("size=1m")
        archive = gem_file("alpha", "1.0", { "lib/a.rb" => "a\n" * 50_000, "lib/b.rb" => "b\n" * 50_000 })
        sha256 = add(archive)
        fill
        big = gem_file("beta", "1.0", { "lib/c.rb" => "c\n" * 400_000 })
        error = assert_raises(Full) { store.guard { store.native.unpack(big, kind: :gem) } }
        assert_equal 9, error.exit_code
        assert_match(/#{Regexp.escape(@mount)}.*bytes free/, error.message)
        assert_raises(Full) { store.write("checks", "key", "x" * 200_000, required: true) }
        refute store.write("checks", "key", "x" * 200_000)
        assert_empty Dir.children(store.path("tmp"))
        assert_empty store.native.verify_manifest(store.package(sha256))
      end

      def test_healing_on_a_full_disk_keeps_existing_files
        tmpfs("size=1m")
        sha256 = package("alpha", "1.0", { "lib/a.rb" => "a\n" * 50_000, "lib/b.rb" => "b\n" * 50_000 })
        fill
        File.open(object(sha256, "lib/a.rb"), "r+") { |file| file.write("edited") }
        manifest = store.package(sha256)
        assert_raises(Full) { store.heal(manifest, store.native.verify_manifest(manifest)) }
        assert_equal "edited", File.read(object(sha256, "lib/a.rb"), 6)
        File.unlink(File.join(@mount, "filler"))
        store.heal(manifest, store.native.verify_manifest(manifest))
        assert_empty store.native.verify_manifest(store.package(sha256))
      end

      def test_read_only_store_links_and_refuses_writes
        sha256 = package
        store.remember_name("http://gems.test/", "alpha-1.0", sha256)
        read_only
        refute_predicate store, :writable?
        assert_equal sha256, store.name_lookup("http://gems.test/", "alpha-1.0")
        refute store.write("checks", "key", "text")
        refute store.remember_name("http://gems.test/", "other-1.0", sha256)
        assert_equal :held, store.lock("never-made") { :held }
        result = store.native.link([[File.join(folder, "tree"), [store.package(sha256)], :hard]]).first
        assert result.ok?, result.message
        assert_equal "module A; end\n", File.read(File.join(folder, "tree/lib/alpha.rb"))
        assert_raises(ReadOnly) { store.temporary("x") && store.write("checks", "key", "text", required: true) }
        assert_raises(ReadOnly) { Prune.new(store).call }
        assert Verify.new(store).call.ok?
        assert_equal 1, Status.new(store).call.packages.files
      end

      def test_damage_in_a_read_only_store_is_reported_and_not_repaired
        sha256 = package
        File.write(object(sha256, "README"), "other\n")
        read_only
        assert_equal [:found], Verify.new(store).call.damaged.map(&:outcome)
        manifest = store.package(sha256)
        assert_raises(ReadOnly) { store.heal(manifest, store.native.verify_manifest(manifest)) }
        assert_empty store.renew([store.package_path(sha256)])
      end

      private

      def tmpfs(options)
        skip "needs root for a small tmpfs" unless root?

        @mount = File.join(folder, "home").tap { |path| Dir.mkdir(path) }
        skip "no tmpfs can be mounted here" unless system("mount", "-t", "tmpfs", "-o", options, "tmpfs", @mount)
      end

      def fill
        File.open(File.join(@mount, "filler"), "wb") { |file| loop { file.syswrite("\0" * 4096) } }
      rescue Errno::ENOSPC
        nil
      end

      # The same store through a read-only mount. root ignores permissions, but not this.
      def read_only
        skip "needs root for a read-only mount" unless root?

        home = store.home
        skip "no bind mounts here" unless system("mount", "--bind", home, home)
        @mount = home
        system("mount", "-o", "remount,bind,ro", home, exception: true)
        @store = nil
      end
    end
  end
end
