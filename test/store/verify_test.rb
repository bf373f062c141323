# frozen_string_literal: true

require "store/store_case"
require "json"

module Spate
  class Store
    class VerifyTest < StoreCase
      def setup
        @alpha = package
        @beta = package("beta", "2.0", { "lib/beta.rb" => "beta\n", "LICENSE" => "read\n" })
      end

      def verify(**options) = Verify.new(store, **options).call

      def test_verify_of_an_undamaged_store
        result = verify
        assert result.ok?, result.damaged.inspect
        assert_equal [2, 0, 2, 3], [result.packages, result.builds, result.archives, result.objects]
        assert_equal "module A; end\nbeta\nread\n".bytesize, result.bytes
        assert JSON.generate(result.to_h)
      end

      def test_damaged_objects_are_healed
        File.write(object(@alpha, "lib/alpha.rb"), "wrong\n")
        File.unlink(object(@beta, "lib/beta.rb"))
        result = verify
        assert_equal [[:object, @alpha, "lib/alpha.rb", :changed, :healed],
                      [:object, @beta, "lib/beta.rb", :missing, :healed]],
                     result.damaged.map(&:to_a).sort_by { |damage| damage[2] }
        assert verify.ok?
      end

      def test_dry_run_changes_nothing
        File.write(object(@alpha, "lib/alpha.rb"), "wrong\n")
        assert_equal [:found], verify(dry_run: true).damaged.map(&:outcome)
        assert_equal [:found], verify(dry_run: true).damaged.map(&:outcome)
      end

      def test_without_archive_the_package_is_dropped
        File.write(path = object(@alpha, "lib/alpha.rb"), "wrong\n")
        File.unlink(store.archive_path(@alpha))
        assert_equal [:dropped], verify.damaged.map(&:outcome)
        assert_nil store.package(@alpha)
        refute_path_exists path
        assert verify.ok?
      end

      def test_damaged_archive_is_dropped_and_the_package_stays
        File.open(store.archive_path(@alpha), "r+") { |file| file.write("x") }
        result = verify
        assert_equal [[:archive, nil, "archives/#{@alpha}.gem", :changed, :dropped]], result.damaged.map(&:to_a)
        assert store.package(@alpha)
      end

      def test_damaged_manifest_is_dropped
        File.truncate(store.package_path(@alpha), 64)
        found = verify.damaged.map { |damage| [damage.kind, damage.state, damage.outcome] }
        assert_equal [%i[manifest stale dropped]], found
        refute_path_exists store.package_path(@alpha)
      end

      def test_unreferenced_object
        File.write(object(@alpha, "lib/alpha.rb"), "wrong\n")
        File.unlink(store.package_path(@alpha))
        assert_equal [%i[object dropped]], verify.damaged.map { |damage| [damage.kind, damage.outcome] }
        assert verify.ok?
      end

      def test_damaged_build_is_dropped
        built = write("built.so", "compiled\n")
        entry = store.native.adopt(built).merge(path: "lib/built.so")
        store.native.write_manifest(store.build_path("c" * 64), "c" * 64, [entry], "")
        assert_equal 1, verify.builds
        File.unlink(built)
        File.write(store.native.object_path(entry[:sha256], entry[:mode]), "other\n")
        assert_equal [["c" * 64, :dropped]], verify.damaged.map { |damage| [damage.package, damage.outcome] }
        assert_nil store.build("c" * 64)
      end

      def test_an_edit_through_a_link_is_healed_and_stays
        one = project("one", { "alpha-1.0" => @alpha })
        edit_in_place(file(one, "gems/alpha-1.0/lib/alpha.rb"), "edited\n")
        result = verify
        assert_equal [["lib/alpha.rb", :healed]], result.damaged.map { |damage| [damage.path, damage.outcome] }
        assert_equal "edited\n", File.read(file(one, "gems/alpha-1.0/lib/alpha.rb"))
      end
    end
  end
end
