# frozen_string_literal: true

require "store/store_case"

module Spate
  class Store
    # Two projects that link the same gem, and an edit in one of them. Both must report it, and neither may be changed.
    class EditsTest < StoreCase
      FILE = "gems/alpha-1.0/lib/alpha.rb"
      RIGHT = "module A; end\n"

      def setup
        files = { "lib/alpha.rb" => RIGHT, "lib/other.rb" => "module B; end\n", "README" => "read\n" }
        @sha256 = package("alpha", "1.0", files)
        @one = project("one", { "alpha-1.0" => @sha256 })
        @two = project("two", { "alpha-1.0" => @sha256 })
        assert_empty check(@one)
        sleep 0.02
      end

      def test_edit_through_a_link_is_reported_by_both_projects
        edit_in_place(file(@one, FILE), "edited\n")
        before = tree(folder)
        [@one, @two].each do |bundle|
          edit = check(bundle).fetch(0)
          assert_equal [:changed, "alpha-1.0", "lib/alpha.rb", file(bundle, FILE)],
                       [edit.kind, edit.name, edit.path, edit.file]
          assert_equal [true, 1, 0, false], [edit.shared?, edit.projects, edit.unknown_links, edit.mode_only]
        end
        assert_equal before, tree(folder)
      end

      def test_replaced_file_belongs_to_its_project
        system("sed", "-i", "s/A/Mine/", file(@one, FILE), exception: true)
        edit = check(@one).fetch(0)
        assert_equal [:changed, false, 0], [edit.kind, edit.shared?, edit.projects]
        assert_empty check(@two)
      end

      def test_touched_file_is_not_an_edit
        File.utime(Time.now, Time.now + 5, file(@one, FILE))
        edits = edits(@one)
        assert_empty edits.call(Native.check_trees(@one.jobs(store), 1))
        store.renew(edits.stale)
        assert_empty Native.check_trees(@two.jobs(store), 1)
      end

      def test_a_mode_belongs_to_the_inode
        File.chmod(0o755, file(@one, FILE))
        edit = check(@two).fetch(0)
        assert_equal [true, true, 1], [edit.mode_only, edit.shared?, edit.projects]
      end

      def test_missing_and_special_files
        File.unlink(file(@one, FILE))
        File.unlink(file(@one, "gems/alpha-1.0/README"))
        Dir.mkdir(file(@one, "gems/alpha-1.0/README"))
        assert_equal([[:type, "README"], [:missing, "lib/alpha.rb"]], check(@one).map { |edit| [edit.kind, edit.path] })
      end

      # Packages share the inode of a licence or an empty file under different names.
      def test_the_same_content_in_another_gem
        other = package("beta", "2.0", { "lib/copy.rb" => RIGHT, "lib/again.rb" => RIGHT })
        three = project("three", { "beta-2.0" => other })
        edit_in_place(file(@one, FILE), "edited\n")
        assert_equal 2, check(@one).fetch(0).projects
        assert_equal([%w[lib/again.rb lib/copy.rb], [2, 2]],
                     check(three).then { |found| [found.map(&:path), found.map(&:projects)] })
      end

      def test_names_without_a_record
        File.link(file(@one, FILE), File.join(folder, "elsewhere"))
        edit_in_place(file(@one, FILE), "edited\n")
        assert_equal [1, 1], check(@one).fetch(0).to_h.values_at(:projects, :unknown_links)
      end

      # The store has a new inode by now. The projects still share the edited one.
      def test_store_that_repaired_itself_hides_no_edit
        edit_in_place(file(@one, FILE), "edited\n")
        manifest = store.package(@sha256)
        store.heal(manifest, store.native.verify_manifest(manifest))
        assert_equal [:changed, true, 1], check(@two).fetch(0).then { |edit| [edit.kind, edit.shared?, edit.projects] }
        assert_equal %w[edited edited], [@one, @two].map { |bundle| File.read(file(bundle, FILE)).chomp }
        assert_equal [%i[changed healed]], store.healed.map { |healed| [healed.state, healed.outcome] }
      end

      def test_file_with_a_changed_owner
        skip "only root gives files away" unless root?

        File.chown(65_534, 65_534, file(@one, FILE))
        assert_equal [65_534, 1], check(@two).fetch(0).to_h.values_at(:owner, :projects)
        edits = edits(@two)
        edits.call(Native.check_trees(@two.jobs(store), 1, store.owner))
        assert_equal [store.package_path(@sha256)], edits.stale
      end

      def test_private_copy
        edit_in_place(file(@one, FILE), "edited\n")
        result = Edits::PrivateCopy.new(store).call(@one, "gems/alpha-1.0")
        assert_equal [3, ["lib/alpha.rb"]], [result.files, result.edits.map(&:path)]
        assert_equal [1, "edited\n"], [File.stat(file(@one, FILE)).nlink, File.read(file(@one, FILE))]
        assert_empty check(BundleRecord.load(store, @one.root))
        assert_raises(ArgumentError) { Edits::PrivateCopy.new(store).call(@one, "gems/none-1.0") }
      end

      private

      def edits(bundle) = Edits.new(store, bundle)
      def check(bundle) = edits(bundle).call(Native.check_trees(bundle.jobs(store), 1, store.owner))

      # Everything that a write would change, except times that reading changes.
      def tree(root)
        Dir.glob("**/*", File::FNM_DOTMATCH, base: root).sort.to_h do |path|
          stat = File.lstat(File.join(root, path))
          [path, [stat.ino, stat.mode, stat.size, stat.mtime, stat.ctime, stat.nlink]]
        end
      end
    end
  end
end
