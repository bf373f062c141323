# frozen_string_literal: true

require_relative "boot_case"

module Spate
  # One compile cache for each gem, opened when the first file of the gem is loaded.
  class BundlesTest < BootCase
    def setup
      super
      Loader.key = KEY
    end

    def bundle(gem, *files)
      cache(*files.map { |path| file(path, "$from = #{gem.dump}") }, name: "#{gem}.compiled").path
    end

    def test_a_file_below_a_root_comes_from_the_gem_s_compile_cache
      path = source("gems/a-1/lib/a.rb")
      Loader.gem_caches = { "#{root}/gems/a-1" => bundle("a", path) }

      assert_equal ["a", :hit], loaded(path)
      assert_equal %i[disk miss], loaded(source("gems/a-10/lib/a.rb"))
      assert_equal({ "#{root}/gems/a-1" => compile_cache_path("a.compiled") }, Loader.gem_caches)
    end

    def test_compile_cache_is_opened_on_first_use
      path = source("gems/a-1/lib/a.rb")
      other = source("gems/b-1/lib/b.rb")
      caches = { "#{root}/gems/a-1/" => bundle("a", path),
                 "#{root}/gems/b-1" => compile_cache_path("b.compiled") }
      File.write(caches.values.last, "x" * 1000)
      Loader.gem_caches = caches

      assert_equal ["a", :hit], loaded(path)
      assert_empty Loader.problems
      2.times { assert_equal %i[disk miss], loaded(other) }
      assert_equal [[compile_cache_path("b.compiled"), :magic]], Loader.problems
    end

    def test_missing_compile_cache_is_not_an_error
      path = source("gems/a-1/lib/a.rb")
      Loader.gem_caches = { "#{root}/gems/a-1" => compile_cache_path("none") }

      assert_equal %i[disk miss], loaded(path)
      assert_empty Loader.problems
    end

    def test_added_compile_caches_come_first
      path = source("gems/a-1/lib/a.rb")
      Loader.gem_caches = { "#{root}/gems/a-1" => bundle("a", path) }
      Loader.add(cache(file(path)))

      assert_equal %i[compile_cache hit], loaded(path)
      File.utime(0, 0, path)
      assert_equal %i[compile_cache revalidated], loaded(path)
    end

    def test_a_bundle_stays_closed_while_compile_caches_have_its_files
      path = source("gems/a-1/lib/a.rb")
      File.write(compile_cache_path("broken"), "x" * 1000)
      Loader.gem_caches = { "#{root}/gems/a-1" => compile_cache_path("broken") }
      Loader.add(cache(file(path)))
      assert_equal %i[compile_cache hit], loaded(path)
      File.utime(0, 0, path)
      assert_equal %i[compile_cache revalidated], loaded(path)
      assert_empty Loader.problems
      File.write(path, "#{DISK}# changed")

      assert_equal %i[disk stale], loaded(path)
      assert_equal [[compile_cache_path("broken"), :magic]], Loader.problems
    end

    def test_current_bundle_replaces_an_outdated_compile_cache
      path = source("gems/a-1/lib/a.rb")
      outdated = state(path).tap { |list| list[0] += 1 }
      Loader.add(cache([path, outdated, blob(path)]))
      Loader.gem_caches = { "#{root}/gems/a-1" => bundle("a", path) }

      assert_equal ["a", :hit], loaded(path)
    end

    def test_the_innermost_root_comes_first
      path = source("app/engines/a/lib/a.rb")
      outer = source("app/b.rb")
      Loader.gem_caches = { "#{root}/app" => bundle("outer", path, outer),
                            "#{root}/app/engines/a" => bundle("inner", path) }

      assert_equal ["inner", :hit], loaded(path)
      assert_equal ["outer", :hit], loaded(outer)
    end

    def test_hundreds_of_roots
      gems = Array.new(300) { |i| "gem#{i}" }
      paths = gems.to_h { |gem| [gem, source("gems/#{gem}/lib/a.rb")] }
      Loader.gem_caches = gems.to_h { |gem| ["#{root}/gems/#{gem}", bundle(gem, paths[gem])] }

      gems.shuffle(random: Random.new(1)).each { |gem| assert_equal [gem, :hit], loaded(paths[gem]) }
    end

    def test_without_a_key_no_bundle_is_opened
      path = source("gems/a-1/lib/a.rb")
      Loader.reset
      Loader.gem_caches = { "#{root}/gems/a-1" => bundle("a", path) }

      assert_equal %i[disk miss], loaded(path)
    end

    def test_compile_cache_writable_by_others_is_used_only_where_owners_are_trusted
      path = source("gems/a-1/lib/a.rb")
      made = bundle("a", path)
      File.chmod(0o666, made)
      Loader.gem_caches = { "#{root}/gems/a-1" => made }
      assert_equal %i[disk miss], loaded(path)
      assert_equal [[made, :writable]], Loader.problems
      Loader.gem_caches = { "#{root}/gems/a-1" => made }
      before = ENV.fetch("SPATE_TRUST_STORE", nil)
      ENV["SPATE_TRUST_STORE"] = "1"

      assert_equal ["a", :hit], loaded(path)
      assert_equal 1, Native::CompileCache.open(made, key: KEY).count
    ensure
      ENV["SPATE_TRUST_STORE"] = before
    end

    def test_compile_caches_can_be_set_again_and_removed
      path = source("gems/a-1/lib/a.rb")
      roots = { "#{root}/gems/a-1" => bundle("a", path) }
      3.times do
        Loader.gem_caches = roots
        assert_equal ["a", :hit], loaded(path)
      end
      Loader.gem_caches = {}

      assert_equal %i[disk miss], loaded(path)
      assert_raises(TypeError) { Loader.gem_caches = [1] }
      assert_raises(ArgumentError) { Loader.key = "short" }
    end
  end
end
