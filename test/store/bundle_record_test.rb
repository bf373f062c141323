# frozen_string_literal: true

require "test_helper"

module Spate
  class Store
    class BundleRecordTest < Minitest::Test
      def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})

      def bundle(root = "/p q/vendor/bundle/ruby/3.1.0")
        trees = [BundleRecord::Tree.new(path: "gems/a-1.0", packages: ["a" * 64], builds: ["b" * 64]),
                 BundleRecord::Tree.new(path: "", packages: [], builds: ["c" * 64], private: false)]
        BundleRecord.new(root: root, app: "/p q", trees: trees, time: 1_700_000_000, notes: "one\n\ntwo")
      end

      def test_comes_back_as_it_was
        assert bundle.save(store)
        found = BundleRecord.load(store, bundle.root)
        assert_equal bundle.to_s, found.to_s
        assert_equal ["/p q", 1_700_000_000, "hard"], [found.app, found.time, found.link_method]
        assert_equal "one\n\ntwo", found.notes
        assert_equal [["a" * 64], ["b" * 64, "c" * 64]], [found.packages, found.builds]
        assert_equal [bundle.root], BundleRecord.all(store).map(&:root)
      end

      def test_mark
        marked = BundleRecord.parse(bundle.mark("gems/a-1.0", private: true).to_s)
        assert marked.tree("gems/a-1.0").private?
        refute marked.tree("").private?
      end

      def test_damaged_records_are_missing
        assert_nil BundleRecord.parse(nil)
        assert_nil BundleRecord.parse("something else\n")
        assert_nil BundleRecord.parse("spate-bundle 1\napp\t/x\n\n")
      end

      def test_what_cannot_be_written_down_is_not
        refute bundle("/with\ttab").save(store)
        assert_empty BundleRecord.all(store)
      end
    end
  end
end
