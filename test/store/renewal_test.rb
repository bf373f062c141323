# frozen_string_literal: true

require "store/store_case"

module Spate
  class Store
    class RenewalTest < StoreCase
      # The core reads the boot ID from this file.
      BOOT = "/proc/sys/kernel/random/boot_id"

      def setup
        @sha256 = package
        @path = store.package_path(@sha256)
      end

      def test_times_lost
        objects.each { |path| File.utime(Time.now, Time.at(1_600_000_000), path) }
        assert_equal 2, times_off
        assert store.renew([@path]).key?(@path)
        assert_equal 0, times_off
        assert_predicate store.package(@sha256), :this_boot?
      end

      def test_facts_and_archive_stay
        objects.each { |path| File.utime(Time.now, Time.at(1_600_000_000), path) }
        before = store.package(@sha256)
        after = store.renew([@path])[@path]
        assert_equal [before.sha256, before.facts, before.paths], [after.sha256, after.facts, after.paths]
      end

      def test_renewal_of_valid_objects_writes_nothing
        before = inode(@path)
        store.renew([@path])
        assert_equal before, inode(@path)
      end

      def test_other_boot
        other_boot
        refute_predicate store.package(@sha256), :this_boot?
        assert_predicate store.renew([@path])[@path], :this_boot?
      end

      def test_linking_after_another_boot_is_enough_to_confirm
        other_boot
        manifest = store.package(@sha256)
        refute store.confirm(manifest, store.package_path(@sha256)), "not linked yet"
        assert_predicate store.native.link([[File.join(folder, "tree"), [manifest], :hard]]).first, :ok?
        assert store.confirm(manifest, store.package_path(@sha256))
        assert_predicate store.package(@sha256), :this_boot?
      end

      def test_restored_cache
        objects.each { |path| File.utime(Time.now, Time.at(1_600_000_000), path) }
        other_boot
        assert_predicate store.renew([@path])[@path], :this_boot?
        assert_equal 0, times_off
      end

      def test_damage_of_another_boot_is_healed
        File.truncate(objects.first, 0)
        other_boot
        assert store.renew([@path])[@path]
        assert_empty store.native.verify_manifest(store.package(@sha256))
      end

      def test_incomplete_manifest_is_removed
        File.truncate(@path, 100)
        assert_empty store.renew([@path])
        refute_path_exists @path
      end

      private

      def objects = ["lib/alpha.rb", "README"].map { |path| object(@sha256, path) }

      def times_off
        manifest = store.package(@sha256)
        Array.new(manifest.count) { |index| manifest.entry(index) }.count do |entry|
          store.native.examine(entry, hash: false).first != :good
        end
      end

      # A child process with a different boot ID rewrites the manifest.
      def other_boot
        skip "needs root for a mount" unless root?

        id = write("boot_id", "00000000-1111-2222-3333-444444444444\n")
        script = <<~RUBY
          require "spate"
          store = Spate::Store.open(home: ARGV[0], env: {})
          manifest = store.package(ARGV[1])
          entries = Array.new(manifest.count) { |index| manifest.entry(index) }
          store.native.write_manifest(store.package_path(ARGV[1]), manifest.sha256, entries, manifest.facts)
        RUBY
        write("other.rb", script)
        command = "mount --bind #{id} #{BOOT} && exec #{RbConfig.ruby} -I#{File.expand_path("../../lib", __dir__)} " \
                  "#{folder}/other.rb #{store.home} #{@sha256}"
        skip "no mount namespaces here" unless system("unshare", "-m", "true", err: File::NULL)
        assert system("unshare", "-m", "sh", "-c", command)
      end
    end
  end
end
