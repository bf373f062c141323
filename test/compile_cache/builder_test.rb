# frozen_string_literal: true

require_relative "compile_cache_case"

module Spate
  module CompileCache
    class BuilderTest < CompileCacheCase
      def setup
        @alpha = gem_with("alpha-1.0", "lib/alpha.rb" => "require_relative 'alpha/part'\nputs 'alpha'\n",
                                       "lib/alpha/part.rb" => "puts 'part'\n")
        @beta = gem_with("beta-1.0", "lib/beta.rb" => "puts 'beta'\n")
      end

      def test_each_gem_is_loaded_from_its_own_compile_cache
        report = build(gems: [@alpha, @beta])
        assert_equal [2, 0, 3, []], [report.built, report.reused, report.compiled, report.warnings]
        assert_equal ["part", "alpha", "beta", "alpha.rb hit", "part.rb hit", "beta.rb hit"],
                     load_files("#{@alpha}/lib/alpha.rb", "#{@beta}/lib/beta.rb")
      end

      def test_only_a_new_gem_is_built
        build(gems: [@alpha])
        report = build(gems: [@alpha, @beta])
        assert_equal [1, 1, 1], [report.built, report.reused, report.compiled]
      end

      def test_another_application_builds_nothing
        build(gems: [@alpha, @beta])
        @location = Gemfile::Location.new(nil, nil, "#{folder}/other")
        report = build(gems: [@alpha, @beta])
        assert_equal [0, 2, 0], [report.built, report.reused, report.compiled]
        assert_path_exists application_path
      end

      def test_two_versions_have_two_compile_caches
        newer = gem_with("alpha-2.0", "lib/alpha.rb" => "puts 'alpha 2'\n")
        build(gems: [@alpha, newer])
        refute_equal gem_cache(@alpha).path, gem_cache(newer).path
        assert_equal ["alpha 2", "alpha.rb hit"], load_files("#{newer}/lib/alpha.rb")
      end

      def test_an_empty_gem_has_no_compile_cache
        empty = gem_with("empty-1.0", "README.md" => "nothing")
        report = build(gems: [@alpha, empty])
        assert_equal [1, 1], [report.built, report.empty]
        assert_equal 1, Dir.glob("#{caches.folder}/gems/*.compiled").size
        assert_equal [@alpha], CacheFile.new(application_path, key).gem_caches.keys
      end

      def test_changed_gem_is_rebuilt_from_the_blobs_that_still_fit
        build(gems: [@alpha])
        write("gems/alpha-1.0/lib/alpha/part.rb", "puts 'edited'\n")
        report = build(gems: [@alpha])
        assert_equal [1, 1, 1], [report.built, report.compiled, report.copied]
        assert_includes load_files("#{@alpha}/lib/alpha.rb"), "edited"
      end

      def test_the_compile_cache_has_blobs_in_load_order_without_another_compile
        build(gems: [@alpha, @beta])
        order = ["#{@beta}/lib/beta.rb", "#{@alpha}/lib/alpha.rb", "#{@alpha}/lib/alpha/part.rb"]
        report = build(gems: [@alpha, @beta], recorded: order, load_path_cache: "the load-path cache",
                       replay: "the Bundler replay")
        assert_equal [0, 3, true], [report.compiled, report.copied, report.boot]
        boot = cache(application_path)
        assert_equal order, boot.paths
        assert_equal ["the load-path cache", "the Bundler replay"], [boot.data("load_path_cache"), boot.data("replay")]
        FileUtils.rm_rf("#{caches.folder}/gems")
        assert_equal ["beta", "beta.rb hit"], load_files(order.first)
      end

      def test_boot_data_is_kept_when_only_blobs_are_new
        build(gems: [@alpha], load_path_cache: "the load-path cache", replay: "the Bundler replay", own: ["/own"])
        FileUtils.rm_rf("#{caches.folder}/boots")
        build(gems: [@alpha], load_path_cache: "the load-path cache", replay: "the Bundler replay", own: ["/own"])
        many = (0..Builder::ApplicationCache::CHANGED).map { |number| write("library/f#{number}.rb", "#{number}\n") }
        sleep 0.03
        report = build(recorded: many)
        assert report.boot
        boot = cache(application_path)
        assert_equal ["the load-path cache", "the Bundler replay", "/own\n", many.size],
                     [boot.data("load_path_cache"), boot.data("replay"), boot.data("own"), boot.count]
        assert_equal [@alpha], CacheFile.new(application_path, key).gem_caches.keys
      end

      def test_files_of_the_application_are_in_an_overlay
        own = app_file("config/boot.rb", "puts 'boot'\n")
        report = build(gems: [@alpha], recorded: [own, "#{@alpha}/lib/alpha.rb"])
        assert_equal [own], cache(overlay_path).paths
        assert_equal ["#{@alpha}/lib/alpha.rb"], cache(application_path).paths
        assert report.overlay
      end

      def test_gem_in_the_applications_folder_belongs_to_it_only_as_a_path_gem
        installed = gem_with("../app/vendor/bundle/gamma-1.0", "lib/gamma.rb" => "puts 'gamma'\n")
        installed = File.expand_path(installed)
        engine = app_file("engines/e/lib/e.rb", "puts 'e'\n")
        build(gems: [installed], own: ["#{folder}/app/engines/e"], recorded: [engine, "#{installed}/lib/gamma.rb"])
        assert_equal [engine], cache(overlay_path).paths
        assert_equal ["#{installed}/lib/gamma.rb"], cache(application_path).paths
      end

      def test_edit_of_one_file_rebuilds_the_overlay_only
        files = (1..20).map { |number| app_file("lib/f#{number}.rb", "puts #{number}\n") }
        loaded = ["#{@alpha}/lib/alpha.rb", *files]
        build(gems: [@alpha], recorded: loaded)
        before = File.stat(application_path)
        write("app/lib/f3.rb", "puts 'edited'\n")
        report = build(recorded: loaded)
        assert_equal [1, 19, false, true], [report.compiled, report.copied, report.boot, report.overlay]
        assert_equal [before.ino, before.mtime], [File.stat(application_path).ino, File.stat(application_path).mtime]
        assert_equal ["edited", "f3.rb hit"], load_files(files[2])
        again = build(recorded: loaded)
        assert_equal [0, 0, false, false], [again.compiled, again.copied, again.boot, again.overlay]
      end

      def test_an_edited_file_of_a_gem_goes_into_the_overlay
        loaded = ["#{@alpha}/lib/alpha.rb", "#{@alpha}/lib/alpha/part.rb"]
        build(gems: [@alpha], recorded: loaded)
        write("gems/alpha-1.0/lib/alpha/part.rb", "puts 'edited'\n")
        report = build(recorded: loaded)
        assert_equal [1, false, true], [report.compiled, report.boot, report.overlay]
        assert_equal ["#{@alpha}/lib/alpha/part.rb"], cache(overlay_path).paths
        assert_equal ["edited", "alpha", "alpha.rb hit", "part.rb hit"], load_files(loaded.first)
      end

      def test_ctime_change_alone_compiles_nothing
        loaded = ["#{@alpha}/lib/alpha.rb", "#{@alpha}/lib/alpha/part.rb"]
        build(gems: [@alpha], recorded: loaded)
        File.link(loaded.first, "#{folder}/other-project")
        File.unlink("#{folder}/other-project")
        report = build(recorded: loaded)
        assert_equal [0, 1], [report.compiled, report.copied]
        assert_equal Native.stat(loaded.first)[2], cache(overlay_path).entry(loaded.first)[:ctime_ns]
        assert_equal "alpha.rb hit", load_files(loaded.first)[2]
      end

      def test_lost_times_compile_nothing
        loaded = ["#{@alpha}/lib/alpha.rb", "#{@beta}/lib/beta.rb"]
        build(gems: [@alpha, @beta], recorded: loaded)
        loaded.each { |path| File.utime(1, 1, path) }
        report = build(gems: [@alpha, @beta], recorded: loaded)
        assert_equal [0, 2, true], [report.compiled, report.built, report.boot]
        assert_equal ["beta", "beta.rb hit"], load_files(loaded.last)
      end

      def test_missing_files_are_left_out
        gone = app_file("lib/gone.rb", "1\n")
        build(gems: [], recorded: [gone, app_file("lib/here.rb", "1\n")])
        File.unlink(gone)
        build(recorded: [gone, "#{folder}/app/lib/here.rb"])
        assert_equal ["#{folder}/app/lib/here.rb"], cache(overlay_path).paths
        assert_equal false, build(recorded: [gone, "#{folder}/app/lib/here.rb"]).overlay
      end

      def test_a_damaged_blob_is_made_again
        loaded = ["#{@alpha}/lib/alpha.rb"]
        build(gems: [@alpha], recorded: loaded)
        [application_path, gem_cache(@alpha).path].each { |path| flip(path, loaded.first) }
        report = build(recorded: loaded)
        assert_equal [1, false, true], [report.compiled, report.boot, report.overlay]
        assert_equal ["part", "alpha", "alpha.rb hit", "part.rb hit"], load_files(loaded.first)
        assert_equal 1, build(gems: [@alpha]).built
        assert_empty gem_cache(@alpha).verify
      end

      def test_a_damaged_compile_cache_is_made_again
        build(gems: [@alpha])
        path = gem_cache(@alpha).path
        File.write(path, File.binread(path)[0, 100])
        assert_equal 1, build(gems: [@alpha]).built
        assert gem_cache(@alpha)
      end

      private

      # Flips one bit of a blob.
      def flip(path, file)
        blob = cache(path).blob(file)
        bytes = File.binread(path)
        place = bytes.index(blob) + (blob.bytesize / 2)
        bytes.setbyte(place, bytes.getbyte(place) ^ 4)
        File.unlink(path) # never writes to a compile cache that is mapped
        File.binwrite(path, bytes, perm: 0o600)
      end
    end
  end
end
