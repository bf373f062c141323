# frozen_string_literal: true

require_relative "compile_cache_case"

module Spate
  module CompileCache
    class PruneTest < CompileCacheCase
      def setup
        @gem = gem_with("alpha-1.0", "lib/alpha.rb" => "1\n")
        write("app/Gemfile", "")
        @location = Gemfile::Location.new("#{folder}/app/Gemfile", "#{folder}/app/Gemfile.lock", "#{folder}/app")
        build(gems: [@gem], recorded: ["#{@gem}/lib/alpha.rb", app_file("a.rb", "1\n")])
        @gem_path = gem_cache(@gem).path
      end

      def test_compile_caches_in_use_stay
        assert_empty tidy(days: 50)
        assert_equal 3, files.size
      end

      def test_compile_caches_unused_for_long_are_removed
        assert_equal files, tidy(days: 61).sort
        assert_empty Dir.children("#{caches.store_root}/compile-cache"), "including the folders of that Ruby"
      end

      def test_gems_of_a_booting_application_stay
        old(@gem_path, 100)
        assert_empty tidy(days: 50)
      end

      def test_missing_application
        File.unlink(location.gemfile)
        assert_empty tidy(days: 5), "its disk may be mounted again"
        assert_equal 3, tidy(days: 8).size
      end

      def test_unreferenced_gem
        newer = gem_with("alpha-2.0", "lib/alpha.rb" => "2\n")
        build(gems: [newer])
        assert_equal [@gem_path], tidy(days: 8)
        assert_path_exists gem_cache(newer).path
      end

      def test_least_recently_used_is_removed_first_above_the_size_limit
        @location = Gemfile::Location.new(nil, nil, "#{folder}/other")
        build(gems: [other = gem_with("beta-1.0", "lib/beta.rb" => "1\n")], recorded: ["#{other}/lib/beta.rb"])
        old(application_path, 3)
        old(gem_cache(other).path, 3)
        sizes = files.sum { |path| File.size(path) }
        assert_empty tidy(bytes: sizes)
        assert_equal 1, (gone = tidy(bytes: sizes - 1)).size
        assert_includes [application_path, gem_cache_path(other)], gone.first
      end

      def test_leftovers_of_killed_builders_are_removed
        left = "#{caches.folder}/gems/#{"0" * 32}.compiled.12-abc"
        File.write(left, "half")
        assert_empty tidy
        assert_equal [left], tidy(days: 1.0 / 23)
      end

      def test_locks_logs_and_recordings_are_removed_with_their_application
        %w[lock log recording].each { |kind| File.write(application_path.sub(/compiled\z/, kind), "") }
        assert_empty tidy(days: 50)
        tidy(days: 61)
        assert_empty files
      end

      def test_damaged_compile_caches_belong_to_no_application
        File.write(@gem_path, "not a compile cache")
        File.write(application_path, "nor this")
        assert_empty tidy(days: 6)
        assert_equal 3, tidy(days: 8).size
      end

      def test_compile_caches_of_other_rubies_are_pruned_too
        other = "#{caches.store_root}/compile-cache/#{"a" * 32}"
        FileUtils.cp_r(caches.folder, other)
        tidy(days: 8)
        refute_path_exists other
        assert_equal 3, files.size
      end

      def test_runs_automatically_once_a_day
        tidy = -> { Prune.new(caches.store_root, gone: 0).daily }
        File.unlink(location.gemfile)
        assert_equal 3, tidy.call.size
        FileUtils.touch(location.gemfile)
        build(gems: [@gem])
        File.unlink(location.gemfile)
        assert_empty tidy.call
      end

      def test_pruning_the_store_removes_them_too
        store = Store.new(folder, caches.store_root)
        File.unlink(location.gemfile)
        assert_equal 0, prune(store, older_than: Prune::DAY).compile_caches
        found = prune(store, older_than: 0, dry_run: true)
        assert_equal [3, 3], [found.compile_caches, files.size]
        assert_equal 3, prune(store, older_than: 0).compile_caches
        assert_empty files
      end

      def test_missing_folder
        assert_empty Prune.new("#{folder}/nowhere").call
      end

      private

      # Prunes like `spate store prune`.
      def prune(store, **options)
        tidy = ->(root, now, age) { Prune.new(root, now: now, gone: age).removable }
        Store::Prune.new(store, compile_caches: tidy, **options).call
      end

      def tidy(days: 0, bytes: Prune::BYTES)
        Prune.new(caches.store_root, now: Time.now + (days * Prune::DAY), bytes: bytes).call
      end

      def gem_cache_path(dir) = caches.gem_path(dir, gem_files(dir).fingerprint)

      def old(path, days) = File.utime(0, Time.now - (days * Prune::DAY), path)

      def files = Dir.glob("#{caches.store_root}/compile-cache/**/*").select { |path| File.file?(path) }.sort
    end
  end
end
