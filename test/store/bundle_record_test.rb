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

      def test_round_trip
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

      def test_projects_and_copies
        record = BundleRecord.new(root: "/gems", app: "/one", link_method: "copy", time: 3, trees: [
                                    BundleRecord::Tree.new(path: "gems/a-1.0", packages: ["a" * 64], copied: true)
                                  ], others: [BundleRecord::Project.new("/two", 2, "hard")])
        found = BundleRecord.parse(record.to_s)
        assert_equal record.to_s, found.to_s
        assert_equal [["/one", 3, "copy"], ["/two", 2, "hard"]], found.projects.map(&:to_a)
        assert_equal ["hard", nil], [found.project("/two").link_method, found.project("/three")]
        assert_equal [true, false], [found.trees.first.copied?, found.trees.first.linked?]
      end

      def test_only_the_trees_of_some_gems
        record = bundle.with(BundleRecord::Tree.new(path: "gems/z-1.0"))
        assert_equal ["", "gems/z-1.0"], record.only(%w[z-1.0 none-1.0]).trees.map(&:path)
      end

      # If a user cannot write to the store, there are two records: one of the store's owner, and one of the user.
      def test_of_two_stores_the_later_record_counts
        early, late = [1, 2].map do |time|
          trees = ["both", "only#{time}"].map do |name|
            BundleRecord::Tree.new(path: "gems/#{name}", private: time == 2)
          end
          BundleRecord.new(root: "/gems", app: "/app#{time}", time: time, trees: trees)
        end
        found = late.over(early)
        assert_equal({ "gems/both" => true, "gems/only2" => true, "gems/only1" => false },
                     found.trees.to_h { |tree| [tree.path, tree.private?] })
        assert_equal %w[/app2 /app1], found.projects.map(&:app)
      end

      # A record of version 1 has one method for all trees, and its builds are in one tree of all gems.
      def test_record_of_the_previous_version
        text = "spate-bundle 1\nroot\t/gems\napp\t/one\ntime\t3\nmethod\tcopy\n" \
               "tree\tlinked\tp:#{"a" * 64}\tgems/a-1.0\ntree\tprivate\tp:#{"b" * 64}\tgems/b-1.0\n" \
               "tree\tlinked\tb:#{"c" * 64}\t\n\ngit\tx\n"
        found = BundleRecord.parse(text)
        assert_equal [true, false, true], found.trees.map(&:copied?)
        assert_equal [["c" * 64], "git\tx\n", "/one"], [found.only(%w[b-1.0]).builds, found.notes, found.app]
      end

      def test_damaged_records_are_missing
        assert_nil BundleRecord.parse(nil)
        assert_nil BundleRecord.parse("something else\n")
        assert_nil BundleRecord.parse("spate-bundle 1\napp\t/x\n\n")
      end

      def test_unrepresentable_path_is_not_saved
        refute bundle("/with\ttab").save(store)
        assert_empty BundleRecord.all(store)
      end
    end
  end
end
