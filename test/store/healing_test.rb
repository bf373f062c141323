# frozen_string_literal: true

require "store/store_case"

module Spate
  class Store
    class HealingTest < StoreCase
      def setup
        @sha256 = package("alpha", "1.0", { "lib/alpha.rb" => "right\n", "exe/run" => "#!ruby\n", "empty" => "" })
        @path = object(@sha256, "lib/alpha.rb")
      end

      def damages
        { overwritten: -> { File.write(@path, "wrong\n") }, truncated: -> { File.truncate(@path, 2) },
          emptied: -> { File.truncate(@path, 0) }, deleted: -> { File.unlink(@path) },
          mode: -> { File.chmod(0o600, @path) } }
      end

      def test_each_damage_is_healed_on_a_new_inode
        damages.each do |name, damage|
          before = inode(@path)
          damage.call
          store.heal(store.package(@sha256), [0, 1, 2])
          assert_equal "right\n", File.read(@path), name
          assert_equal 0o644, File.stat(@path).mode & 0o777, name
          refute_equal before, inode(@path), name unless name == :deleted
          assert_empty store.native.verify_manifest(store.package(@sha256)), name
        end
        assert_empty Dir.children(store.path("tmp"))
      end

      def test_linked_file_of_a_bundle_is_unchanged
        File.link(@path, linked = File.join(folder, "linked"))
        File.write(@path, "edited\n")
        store.heal(store.package(@sha256), [2])
        assert_equal %W[edited\n right\n], [linked, @path].map { |path| File.read(path) }
      end

      def test_right_content_with_another_time_is_left_alone
        before = inode(@path)
        File.utime(Time.now, Time.now - 1000, @path)
        store.heal(store.package(@sha256), [0, 1, 2])
        assert_empty store.healed
        assert_equal before, inode(@path)
        result = store.native.link([[File.join(folder, "tree"), [store.package(@sha256)], :hard]]).first
        assert result.ok?, result.message
      end

      def test_mode_that_the_installer_changed
        manifest = store.package(@sha256)
        entries = Array.new(manifest.count) { |index| manifest.entry(index) }
        run = entries.find { |entry| entry[:path] == "exe/run" }
        FileUtils.cp(store.native.object_path(run[:sha256], 0o644), copy = File.join(folder, "run"))
        File.chmod(0o755, copy)
        adopted = store.native.adopt(copy)
        entries[entries.index(run)] = adopted.merge(path: "exe/run")
        store.native.write_manifest(store.package_path(@sha256), @sha256, entries, "")
        File.unlink(File.join(folder, "run"), object(@sha256, "exe/run"))
        manifest = store.package(@sha256)
        store.heal(manifest, store.native.verify_manifest(manifest))
        assert_equal 0o755, File.stat(object(@sha256, "exe/run")).mode & 0o777
      end

      def test_missing_archive
        File.unlink(@path, store.archive_path(@sha256))
        error = assert_raises(Missing) { store.heal(store.package(@sha256), [0, 1, 2]) }
        assert_equal [@sha256, 9], [error.sha256, error.exit_code]
        assert_match(/the archive does not exist/, error.message)
      end

      def test_archive_damaged
        File.unlink(@path)
        File.open(store.archive_path(@sha256), "r+") { |file| file.write("damage") }
        error = assert_raises(Missing) { store.heal(store.package(@sha256), [0, 1, 2]) }
        assert_match(/damaged, with the SHA-256 \h{64}/, error.message)
        refute_path_exists store.archive_path(@sha256)
        assert_empty Dir.children(store.path("tmp"))
      end

      def test_renewal_completes_a_package
        manifest_path = store.package_path(@sha256)
        damages.each_value do |damage|
          damage.call
          assert store.renew([manifest_path])[manifest_path]
          assert_equal "right\n", File.read(@path)
        end
        File.unlink(@path, store.archive_path(@sha256))
        assert_empty store.renew([manifest_path])
        assert_nil store.package(@sha256)
      end
    end
  end
end
