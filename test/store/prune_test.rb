# frozen_string_literal: true

require "store/store_case"
require "json"

module Spate
  class Store
    class PruneTest < StoreCase
      DAY = 24 * 60 * 60

      def setup
        @used = package
        @unused = package("beta", "2.0", { "lib/beta.rb" => "beta\n", "README" => "read\n" })
        [@used, @unused].each do |sha256|
          store.remember_name("http://gems.test/", "gem-#{sha256[0, 4]}", sha256)
          store.write("specs", "rubygems-1/#{sha256}", "spec")
        end
        @bundle = project("one", { "alpha-1.0" => @used })
      end

      # now: number of days from today.
      def prune(now: 40, **options) = Prune.new(store, now: Time.now + (now * DAY), **options).call

      def test_removes_packages_that_no_project_uses
        only_beta = object(@unused, "lib/beta.rb")
        result = prune
        assert_equal [1, 1, 1, 1, 1], result.to_h.values_at(:packages, :archives, :names, :texts, :objects)
        assert_equal 0, result.projects
        refute_path_exists only_beta
        assert_nil store.name_lookup("http://gems.test/", "gem-#{@unused[0, 4]}")
        assert store.package(@used)
        assert_empty store.native.verify_manifest(store.package(@used))
        assert_equal @used, store.name_lookup("http://gems.test/", "gem-#{@used[0, 4]}")
        assert Verify.new(store).call.ok?
        assert JSON.generate(result.to_h)
      end

      # A token that is valid for an hour creates a folder of the index, which is unused afterwards.
      def test_unused_index_folders_are_removed
        %w[now/info/alpha now/info/beta old/info/alpha].each { |path| write("home/index/#{path}", "1.0 |\n") }
        FileUtils.touch(File.join(store.home, "index/now/info/beta"), mtime: Time.now + (39 * DAY))
        prune(dry_run: true)
        assert_equal %w[now old], Dir.children(File.join(store.home, "index")).sort
        prune
        assert_equal %w[now], Dir.children(File.join(store.home, "index"))
        assert_equal 2, Dir.children(File.join(store.home, "index/now/info")).size
      end

      def test_young_packages_stay
        assert_equal 0, prune(now: 20).packages
        assert_equal 1, prune(now: 20, older_than: 10 * DAY).packages
      end

      def test_dry_run_reports_and_removes_nothing
        before = everything
        dry = prune(dry_run: true)
        assert_equal before, everything
        assert_equal dry.to_h.except(:dry_run), prune.to_h.except(:dry_run)
      end

      def test_missing_project_is_kept_for_a_while
        FileUtils.mv(@bundle.app, File.join(folder, "unmounted"))
        assert_equal [0, 0], prune(now: 20).to_h.values_at(:projects, :objects)
        assert store.package(@used)
        assert_equal [1, 2], prune(now: 40).to_h.values_at(:projects, :packages)
        assert_nil store.package(@used)
        assert_empty BundleRecord.all(store)
      end

      def test_living_project_is_never_too_old
        prune(now: 4000)
        assert store.package(@used)
      end

      def test_objects_linked_from_outside_are_counted_separately
        FileUtils.ln(object(@unused, "lib/beta.rb"), File.join(folder, "held"))
        result = prune
        assert_equal [1, 1], [result.objects, result.linked]
        assert_path_exists File.join(folder, "held")
      end

      def test_caches_and_compile_caches_are_pruned_by_age_alone
        [%w[checks key], %w[team key], ["sent", "cache/key"]].each { |kind, key| store.write(kind, key, "text") }
        store.make(store.path("compile-cache"))
        File.write(store.path("compile-cache", "a" * 64), "compile_cache")
        assert_equal [0, 0], prune(now: 20).to_h.values_at(:texts, :compile_caches)
        assert_equal [4, 1], prune(now: 40).to_h.values_at(:texts, :compile_caches), "a spec of the unused package, too"
        assert_nil store.read("checks", "key")
      end

      def test_edits_are_kept
        FileUtils.mkdir_p(store.path("edits/20200101T000000Z-alpha-1.0"))
        File.write(store.path("edits/20200101T000000Z-alpha-1.0/a.rb"), "mine")
        prune(now: 4000)
        assert_path_exists store.path("edits/20200101T000000Z-alpha-1.0/a.rb")
      end

      def test_waits_for_installs
        store.lock("store", shared: true) do
          assert_raises(Locked) { Prune.new(store).call(wait: false) }
        end
      end

      # Simulates a process that could not get the lock.
      def test_manifest_written_while_pruning_keeps_its_objects
        FileUtils.cp(store.archive_path(@unused), again = File.join(folder, "again.gem"))
        File.unlink(store.package_path(@unused))
        test = self
        pid = fork do
          Usage.prepend(Module.new { define_method(:name_objects) { |*facts| super(*facts).tap { test.add(again) } } })
          prune
          exit!(0)
        end
        assert_predicate Process.wait2(pid).last, :success?
        assert store.package(@unused)
        assert_empty store.native.verify_manifest(store.package(@unused))
      end

      def test_store_is_consistent_after_a_kill
        (1..8).each do |step|
          pid = fork do
            seen = 0
            Sweep.singleton_class.prepend(Module.new do
              define_method(:remove) do |path|
                Process.kill(:KILL, Process.pid) if (seen += 1) == step
                super(path)
              end
            end)
            prune
          end
          Process.wait(pid)
          assert Verify.new(store).call.ok?, "after #{step} removals"
          assert store.package(@used)
        end
        prune
        assert_equal 2, Dir.glob(store.path("objects/*/*")).size
      end

      def test_durations
        assert_equal [30 * DAY, 12 * 3600, 14 * DAY, 0, 5 * DAY], %w[30d 12h 2w 0 5].map { |text| Prune.duration(text) }
        ["", "d", "1y", "-1d", "1.5d"].each { |text| assert_raises(UsageError, text) { Prune.duration(text) } }
      end

      private

      def everything = Dir.glob("**/*", base: store.root).reject { |path| path.start_with?("locks") }.sort
    end
  end
end
