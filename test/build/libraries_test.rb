# frozen_string_literal: true

require "test_helper"

module Spate
  class LibrariesTest < Minitest::Test
    def libraries(env = {}, **options) = Build::Libraries.new(Build::Environment.new(env), **options)
    def cache(paths = [], folders = []) = Build::LinkerCache.new(paths, folders)

    def test_the_loaders_cache_knows_what_ldconfig_knows
      known = IO.popen(%w[/sbin/ldconfig -p], &:readlines).filter_map { |line| line[/=> (.*)$/, 1] }
      skip "this system's loader has no cache" if known.empty?

      known.sample(20, random: Random.new(1)).each do |path|
        refute_nil Build::LinkerCache.read.path(File.basename(path)), path
      end
      assert_nil Build::LinkerCache.read.path("libno-such.so.9")
    end

    def test_folders_are_searched_in_the_loaders_order
      %w[run env cached default].each { |place| write("#{place}/libx.so.1", "") }
      options = { cache: cache(["#{folder}/cached/libx.so.1"]), folders: ["#{folder}/default"] }
      found = ->(search, env) { libraries(env, **options).find("libx.so.1", search) }

      assert_equal "#{folder}/run/libx.so.1", found.call(["#{folder}/run"], "LD_LIBRARY_PATH" => "#{folder}/env")
      assert_equal "#{folder}/env/libx.so.1", found.call(["#{folder}/nowhere"], "LD_LIBRARY_PATH" => "#{folder}/env")
      assert_equal "#{folder}/cached/libx.so.1", found.call([], {})
      assert_equal "#{folder}/default/libx.so.1",
                   libraries(cache: cache, folders: ["#{folder}/default"]).find("libx.so.1")
      assert_equal "#{folder}/env/libx.so.1",
                   libraries(cache: cache([], ["#{folder}/env"]), folders: []).find("libx.so.1")
    end

    def test_a_library_that_moved_is_not_missing_and_one_that_went_is
      here = write("now/libmoved.so.1", "")
      kept = [["libmoved.so.1", "/before/libmoved.so.1", File.dirname(here)], ["libgone.so.2", "/before/libgone.so.2"],
              ["libhere.so", here]]

      assert_equal ["libgone.so.2"], libraries(cache: cache, folders: []).missing(kept)
    end
  end
end
