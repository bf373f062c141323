# frozen_string_literal: true

require_relative "boot_case"

module Spate
  # One image per gem, opened when the first file below its root is loaded.
  class BundlesTest < BootCase
    def setup
      super
      Loader.key = KEY
    end

    def bundle(gem, *files)
      image(*files.map { |path| file(path, "$from = #{gem.dump}") }, name: "#{gem}.image").path
    end

    def test_a_file_below_a_root_comes_from_the_gem_s_image
      path = source("gems/a-1/lib/a.rb")
      Loader.gem_images = { "#{root}/gems/a-1" => bundle("a", path) }

      assert_equal ["a", :hit], loaded(path)
      assert_equal %i[disk miss], loaded(source("gems/a-10/lib/a.rb"))
      assert_equal({ "#{root}/gems/a-1" => image_path("a.image") }, Loader.gem_images)
    end

    def test_image_is_opened_on_first_use
      path = source("gems/a-1/lib/a.rb")
      other = source("gems/b-1/lib/b.rb")
      images = { "#{root}/gems/a-1/" => bundle("a", path), "#{root}/gems/b-1" => image_path("b.image") }
      File.write(images.values.last, "x" * 1000)
      Loader.gem_images = images

      assert_equal ["a", :hit], loaded(path)
      assert_empty Loader.problems
      2.times { assert_equal %i[disk miss], loaded(other) }
      assert_equal [[image_path("b.image"), :magic]], Loader.problems
    end

    def test_missing_image_is_not_an_error
      path = source("gems/a-1/lib/a.rb")
      Loader.gem_images = { "#{root}/gems/a-1" => image_path("none") }

      assert_equal %i[disk miss], loaded(path)
      assert_empty Loader.problems
    end

    def test_added_images_come_first
      path = source("gems/a-1/lib/a.rb")
      Loader.gem_images = { "#{root}/gems/a-1" => bundle("a", path) }
      Loader.add(image(file(path)))

      assert_equal %i[image hit], loaded(path)
      File.utime(0, 0, path)
      assert_equal %i[image revalidated], loaded(path)
    end

    def test_a_bundle_stays_closed_while_images_have_its_files
      path = source("gems/a-1/lib/a.rb")
      File.write(image_path("broken"), "x" * 1000)
      Loader.gem_images = { "#{root}/gems/a-1" => image_path("broken") }
      Loader.add(image(file(path)))
      assert_equal %i[image hit], loaded(path)
      File.utime(0, 0, path)
      assert_equal %i[image revalidated], loaded(path)
      assert_empty Loader.problems
      File.write(path, "#{DISK}# changed")

      assert_equal %i[disk stale], loaded(path)
      assert_equal [[image_path("broken"), :magic]], Loader.problems
    end

    def test_a_bundle_that_is_right_where_an_image_is_outdated
      path = source("gems/a-1/lib/a.rb")
      outdated = state(path).tap { |list| list[0] += 1 }
      Loader.add(image([path, outdated, blob(path)]))
      Loader.gem_images = { "#{root}/gems/a-1" => bundle("a", path) }

      assert_equal ["a", :hit], loaded(path)
    end

    def test_the_innermost_root_comes_first
      path = source("app/engines/a/lib/a.rb")
      outer = source("app/b.rb")
      Loader.gem_images = { "#{root}/app" => bundle("outer", path, outer),
                            "#{root}/app/engines/a" => bundle("inner", path) }

      assert_equal ["inner", :hit], loaded(path)
      assert_equal ["outer", :hit], loaded(outer)
    end

    def test_hundreds_of_roots
      gems = Array.new(300) { |i| "gem#{i}" }
      paths = gems.to_h { |gem| [gem, source("gems/#{gem}/lib/a.rb")] }
      Loader.gem_images = gems.to_h { |gem| ["#{root}/gems/#{gem}", bundle(gem, paths[gem])] }

      gems.shuffle(random: Random.new(1)).each { |gem| assert_equal [gem, :hit], loaded(paths[gem]) }
    end

    def test_without_a_key_no_bundle_is_opened
      path = source("gems/a-1/lib/a.rb")
      Loader.reset
      Loader.gem_images = { "#{root}/gems/a-1" => bundle("a", path) }

      assert_equal %i[disk miss], loaded(path)
    end

    def test_image_writable_by_others_is_used_only_where_owners_are_trusted
      path = source("gems/a-1/lib/a.rb")
      made = bundle("a", path)
      File.chmod(0o666, made)
      Loader.gem_images = { "#{root}/gems/a-1" => made }
      assert_equal %i[disk miss], loaded(path)
      assert_equal [[made, :writable]], Loader.problems
      Loader.gem_images = { "#{root}/gems/a-1" => made }
      before = ENV.fetch("SPATE_TRUST_STORE", nil)
      ENV["SPATE_TRUST_STORE"] = "1"

      assert_equal ["a", :hit], loaded(path)
      assert_equal 1, Image.open(made, key: KEY).count
    ensure
      ENV["SPATE_TRUST_STORE"] = before
    end

    def test_images_can_be_set_again_and_removed
      path = source("gems/a-1/lib/a.rb")
      roots = { "#{root}/gems/a-1" => bundle("a", path) }
      3.times do
        Loader.gem_images = roots
        assert_equal ["a", :hit], loaded(path)
      end
      Loader.gem_images = {}

      assert_equal %i[disk miss], loaded(path)
      assert_raises(TypeError) { Loader.gem_images = [1] }
      assert_raises(ArgumentError) { Loader.key = "short" }
    end
  end
end
