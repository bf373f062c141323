# frozen_string_literal: true

require "store/store_case"
require "json"

module Spate
  class Store
    class StatusTest < StoreCase
      def test_empty_store
        result = Status.new(store).call
        assert_equal [0, [], nil, 0], [result.objects.files, result.projects, result.oldest, result.bytes]
        refute_path_exists store.home
      end

      def test_counts
        used = package
        package("beta", "2.0", { "lib/beta.rb" => "beta\n", "README" => "read\n" })
        bundle = project("one", { "alpha-1.0" => used })
        store.native.adopt(write("loose", "unreferenced\n")) # its file has no other link
        result = Status.new(store).call
        tallies = %i[objects linked unreferenced packages gems javascript unused archives]
        assert_equal [4, 2, 1, 2, 2, 0, 1, 2], tallies.map { |name| result[name].files }
        assert_equal [10, true], [result.unused.bytes, result.gems.bytes > 10]
        assert_equal [bundle.root, true, 1], result.projects.first.to_h.values_at(:root, :exists, :packages)
        FileUtils.rm_rf(bundle.root)
        assert_equal [false], Status.new(store).call.projects.map(&:exists)
        assert JSON.generate(result.to_h)
      end

      def test_trees_that_projects_share
        slot = store.path("links/v1/@/one/1.0.0/hash/node_modules/one")
        store.make(slot)
        File.write("#{slot}/own", "four")
        File.write("#{slot}/object", "counted elsewhere")
        File.link("#{slot}/object", "#{store.path}/object")

        assert_equal [1, 4], Status.new(store).call.slots.to_a
      end
    end
  end
end
