# frozen_string_literal: true

require "store/store_case"

module Spate
  class Store
    # Two projects that link the same gem, an edit in one of them, and an install that runs first in either.
    class EditsTest < StoreCase
      FILE = "gems/alpha-1.0/lib/alpha.rb"
      MADE = "gems/alpha-1.0/lib/made.rb"
      BUILT = { MADE => "made by a build\n", "gems/alpha-1.0/made.log" => "how it was made\n" }.freeze
      RIGHT = "module A; end\n"

      def setup
        files = { "lib/alpha.rb" => RIGHT, "lib/other.rb" => "module B; end\n", "README" => "read\n" }
        @sha256 = package("alpha", "1.0", files)
        @one = project("one", { "alpha-1.0" => @sha256 })
        @two = project("two", { "alpha-1.0" => @sha256 })
        assert_empty check(@one)
        sleep 0.02
      end

      def test_edited_with_vim_and_found_in_the_edited_project
        vim(file(@one, FILE))
        assert_traced check(@one), :folder
      end

      def test_edited_with_vim_and_found_in_the_other_project
        vim(file(@one, FILE))
        assert_traced check(@two), :folder
      end

      def test_edited_without_a_trace_stays_where_it_is_found
        edit_in_place(file(@one, FILE), "edited\n")
        edit = assert_traced(check(@one), :asking)
        refute edit.certain
      end

      def test_edited_without_a_trace_and_found_elsewhere_is_not_lost
        edit_in_place(file(@one, FILE), "edited\n")
        edit = check(@two).fetch(0)
        assert_equal [:asking, false], [edit.evidence, edit.certain]
        assert_equal [@two.root, [@one.root]], [edit.project_root, edit.healed]
        assert_equal "edited\n", File.read(edit.saved_at)
        assert_equal [RIGHT, "edited\n"], [File.read(file(@one, FILE)), File.read(file(@two, FILE))]
      end

      def test_a_file_that_an_editor_left_beside_it_tells
        edit_in_place(file(@one, FILE), "edited\n")
        File.write(file(@one, "gems/alpha-1.0/lib/.alpha.rb.swp"), "")
        File.write(file(@two, "gems/alpha-1.0/lib/other"), "something else was made here, too")
        assert_traced check(@two), :leftovers
      end

      # What lies around the other project says that somebody works there, which is no sign of this edit: with a shell's
      # `>>` or VS Code, the project one stands in must not lose its line to it.
      def test_other_changes_in_another_project_take_no_edit_away
        replace(file(@two, "gems/alpha-1.0/README"), "mine\n")
        age(File.join(@two.root, "gems/alpha-1.0"))
        edit_in_place(file(@one, FILE), "edited\n")
        edit = assert_traced(check(@one), :asking)
        refute edit.certain
      end

      def test_activity_of_another_project_takes_no_edit_away
        [@one, @two].each { |bundle| FileUtils.mkdir_p(File.join(bundle.app, ".git")) }
        age(File.join(@one.app, ".git"))
        edit_in_place(file(@one, FILE), "edited\n")
        FileUtils.touch(File.join(@two.app, ".git/index"))
        refute assert_traced(check(@one), :asking).certain
      end

      # Somebody opens the file in vim, an hour after the edit was made elsewhere.
      def test_a_trace_of_another_time_takes_no_edit_away
        edit_in_place(file(@one, FILE), "edited\n")
        age(file(@one, FILE))
        File.write(file(@two, "gems/alpha-1.0/lib/.alpha.rb.swp"), "")
        refute assert_traced(check(@one), :asking).certain
      end

      # sed -i changes the folder, of another file there.
      def test_a_replaced_file_beside_it_takes_no_edit_away
        edit_in_place(file(@one, FILE), "edited\n")
        system("sed", "-i", "s/B/Mine/", file(@two, "gems/alpha-1.0/lib/other.rb"), exception: true)
        refute assert_traced(check(@one), :asking).certain
      end

      def test_traces_that_contradict_each_other_tell_nothing
        File.write(file(@two, "gems/alpha-1.0/lib/alpha.rb~"), RIGHT)
        vim(file(@one, FILE))
        refute assert_traced(check(@one), :asking).certain
      end

      def test_second_check_names_the_edit_and_changes_nothing
        vim(file(@one, FILE))
        check(@two)
        assert_empty check(@two)
        kept = inode(file(@one, FILE))
        edit = check(@one).fetch(0)
        assert_equal [:replaced, "alpha-1.0", "lib/alpha.rb"], [edit.kind, edit.name, edit.path]
        assert_equal @one.root, edit.project_root
        assert_equal kept, inode(file(@one, FILE))
      end

      def test_replaced_file_is_named_and_the_store_untouched
        before = inode(object(@sha256, "lib/alpha.rb"))
        system("sed", "-i", "s/A/Mine/", file(@one, FILE), exception: true)
        edit = check(@one).fetch(0)
        assert_equal [:replaced, [], nil], [edit.kind, edit.healed, edit.saved_at]
        assert_equal before, inode(object(@sha256, "lib/alpha.rb"))
        assert_empty check(@two)
        assert_equal "module Mine; end\n", File.read(file(@one, FILE))
      end

      def test_touched_file_is_no_edit
        File.utime(Time.now, Time.now + 5, file(@one, FILE))
        assert_empty check(@one)
        assert_empty Native.check_trees(@two.jobs(store), 1)
        refute_path_exists store.path("edits")
      end

      def test_changed_mode_is_an_edit
        File.chmod(0o755, file(@one, FILE))
        File.utime(Time.now, Time.now + 5, file(@one, FILE))
        edit = check(@one).fetch(0)
        assert_equal [:in_place, true, nil], [edit.kind, edit.mode_only, edit.saved_at]
        refute_path_exists store.path("edits")
        assert_equal [0o755, 0o644], [@one, @two].map { |bundle| File.stat(file(bundle, FILE)).mode & 0o777 }
        assert_equal 0o644, File.stat(object(@sha256, "lib/alpha.rb")).mode & 0o777
        again = check(@one).fetch(0)
        assert_equal [:replaced, true], [again.kind, again.mode_only]
      end

      def test_changed_mode_and_content
        vim(file(@one, FILE))
        File.chmod(0o755, file(@one, FILE))
        edit = check(@one).fetch(0)
        assert_equal [:in_place, false], [edit.kind, edit.mode_only]
        assert_path_exists edit.saved_at
        refute check(@one).fetch(0).mode_only
      end

      # The project that asks keeps its modes; the other one hears of it.
      def test_news_of_a_changed_mode
        File.chmod(0o755, file(@one, FILE))
        check(@one)
        told = Edits::News.new(store).of(@two.root).fetch(0)
        assert_equal [:healed, true, nil], [told.kind, told.mode_only, told.saved_at]
        Edits::News.new(store).told([told])
        assert_empty Edits::News.new(store).of(@two.root)
      end

      def test_missing_file_is_named
        File.unlink(file(@one, FILE))
        edit = check(@one).fetch(0)
        assert_equal [:missing, "lib/alpha.rb"], [edit.kind, edit.path]
        refute_path_exists file(@one, FILE)
      end

      def test_same_content_in_another_gem_is_healed_too
        other = package("beta", "2.0", { "lib/copy.rb" => RIGHT })
        three = project("three", { "beta-2.0" => other })
        vim(file(@one, FILE))
        edit = check(three).fetch(0)
        assert_equal [@one.root, [@two.root, three.root].sort], [edit.project_root, edit.healed.sort]
        assert_equal RIGHT, File.read(file(three, "gems/beta-2.0/lib/copy.rb"))
      end

      def test_two_names_in_the_edited_project_are_parted
        twin = package("beta", "2.0", { "lib/copy.rb" => RIGHT })
        three = project("three", { "alpha-1.0" => @sha256, "beta-2.0" => twin })
        edit_in_place(file(three, FILE), "edited\n")
        edit = check(three).fetch(0)
        assert_equal 2, edit.kept_at.size
        assert_equal 2, edit.kept_at.map { |path| inode(path) }.uniq.size
        assert_equal [RIGHT, RIGHT], [@one, @two].map { |bundle| File.read(file(bundle, FILE)) }
      end

      def test_another_package_that_brings_the_file_again_does_not_hide_the_edit
        vim(file(@one, FILE))
        add(gem_file("gamma", "1.0", { "lib/gamma.rb" => RIGHT }))
        refute_equal inode(file(@one, FILE)), inode(object(@sha256, "lib/alpha.rb"))
        assert_traced check(@two), :folder
      end

      # Another project's install knows nothing of these two: it must not take the edit from either.
      def test_an_edit_without_a_trace_waits_for_one_of_its_projects
        edit_in_place(file(@one, FILE), "edited\n")
        manifest = store.package(@sha256)
        edit = store.heal(manifest, store.native.verify_manifest(manifest)).fetch(0)
        assert_equal [:undecided, false, []], [edit.evidence, edit.certain, edit.healed]
        assert_equal [file(@one, FILE), file(@two, FILE)].sort, edit.kept_at.sort
        [file(@one, FILE), file(@two, FILE), edit.saved_at].each { |path| assert_equal "edited\n", File.read(path) }
        assert_empty store.native.verify_manifest(store.package(@sha256))
        refute assert_traced(check(@one), :asking).certain
      end

      def test_an_install_that_finds_it_in_the_store_heals_the_projects
        vim(file(@one, FILE))
        manifest = store.package(@sha256)
        edits = store.heal(manifest, store.native.verify_manifest(manifest))
        assert_traced edits, :folder
      end

      def test_without_the_archive_nothing_changes_until_it_is_back
        archive = store.archive_path(@sha256)
        FileUtils.mv(archive, aside = File.join(folder, "aside.gem"))
        vim(file(@one, FILE))
        edit = check(@two).fetch(0)
        assert_equal [:in_place, @sha256, false], [edit.kind, edit.archive, edit.healed?]
        assert_equal inode(file(@one, FILE)), inode(file(@two, FILE))
        FileUtils.mv(aside, archive)
        assert_traced check(@two), :folder
      end

      def test_file_of_a_build_that_no_archive_can_heal
        bundles = %w[three four].map { |name| built_project(name) }
        sleep 0.02
        edit_in_place(file(bundles[0], MADE), "edited\n")
        edit = check(bundles[0]).fetch(0)
        assert_equal [bundles[0].root, [], nil], [edit.project_root, edit.healed, edit.archive]
        assert_equal [file(bundles[1], MADE)], edit.unhealed.keys
        assert_equal 1, store.native.verify_manifest(store.build("c" * 64)).size
        assert_equal %i[replaced replaced], bundles.flat_map { |bundle| check(bundle).map(&:kind) }
      end

      # A bundle that this store installed once, and that another store's install made anew: its links are that one's.
      def test_the_links_of_another_store_are_not_touched
        edit_in_place(made_elsewhere(@one, FILE), "edited\n")
        FileUtils.ln(file(@one, FILE), file(@two, FILE), force: true)
        before = inode(file(@one, FILE))
        assert_equal [[:replaced], [:replaced]], [@one, @two].map { |bundle| check(bundle).map(&:kind) }
        assert_equal [before, before], [@one, @two].map { |bundle| inode(file(bundle, FILE)) }
        refute_path_exists store.path("edits")
      end

      # Builds of the same source differ: what another store or Bundler built is not an edit of what this store has.
      def test_a_build_that_this_store_did_not_put_there_is_no_edit
        bundles = %w[three four].map { |name| built_project(name) }
        BUILT.each_key { |path| FileUtils.ln(made_elsewhere(bundles[0], path), file(bundles[1], path), force: true) }
        assert_equal [[], []], bundles.map { |bundle| check(bundle) }
        refute_path_exists store.path("edits")
      end

      def test_read_only_store_names_edits_and_leaves_them
        edit_in_place(file(@one, FILE), "edited\n")
        store.instance_variable_set(:@writable, false)
        edit = check(@one).fetch(0)
        assert_equal [:in_place, { object(@sha256, "lib/alpha.rb") => "the store cannot be written" }],
                     [edit.kind, edit.unhealed]
        assert_equal "edited\n", File.read(file(@two, FILE))
      end

      def test_touched_and_edited_without_an_archive
        FileUtils.mv(store.archive_path(@sha256), File.join(folder, "aside.gem"))
        File.utime(Time.now, Time.now + 5, file(@one, "gems/alpha-1.0/README"))
        edit_in_place(file(@one, FILE), "edited\n")
        2.times { assert_equal [@sha256], check(@one).map(&:archive) }
      end

      def test_project_that_cannot_be_written_is_named
        skip "root writes everywhere but in a read-only mount" unless root?
        skip "no bind mounts here" unless system("mount", "--bind", @two.root, @two.root, err: File::NULL)

        system("mount", "-o", "remount,bind,ro", @two.root, exception: true)
        vim(file(@one, FILE))
        edit = check(@one).fetch(0)
        assert_equal [file(@two, FILE)], edit.unhealed.keys
        assert_equal RIGHT, File.read(object(@sha256, "lib/alpha.rb"))
        assert_empty news(@two)
      ensure
        system("umount", @two.root, err: File::NULL) if root?
      end

      def test_killed_on_the_way_the_next_check_finishes
        vim(file(@one, FILE))
        pid = fork do
          Edits::Place.class_eval { define_method(:put) { |_| Process.kill(:KILL, Process.pid) } }
          check(@two)
        end
        assert_equal 9, Process.wait2(pid).last.termsig
        assert_traced check(@two), :folder
        assert_empty news(@one)
      end

      def test_the_project_that_was_healed_has_news
        vim(file(@one, FILE))
        edit = check(@one).fetch(0)
        assert_equal [[], [file(@two, FILE)]], [news(@one), news(@two).flat_map(&:healed_at)]
        facts = %i[name path project_root kept_at saved_at evidence certain]
        assert_equal edit.to_h.values_at(*facts), news(@two).fetch(0).to_h.values_at(*facts)
        assert_equal [:healed, [@two.root]], news(@two).fetch(0).to_h.values_at(:kind, :healed)
      end

      def test_the_project_that_asked_has_no_news
        vim(file(@one, FILE))
        check(@two)
        assert_equal [[], []], [news(@one), news(@two)]
      end

      def test_news_of_paths_with_odd_names
        path = "lib/two \"words\" \u00e9.rb"
        odd = package("odd", "1.0", { path => "odd\n" })
        bundles = %w[three four].map { |name| project(name, { "odd-1.0" => odd }) }
        edit_in_place(file(bundles[0], "gems/odd-1.0/#{path}"), "edited\n")
        check(bundles[0])
        assert_equal [[path, [file(bundles[1], "gems/odd-1.0/#{path}")]]],
                     news(bundles[1]).map { |edit| [edit.path, edit.healed_at] }
        Edits::News.new(store).told(news(bundles[1]).map(&:to_h))
        assert_empty news(bundles[1])
      end

      def test_only_what_was_told_is_forgotten
        [FILE, "gems/alpha-1.0/README"].each do |path|
          edit_in_place(file(@one, path), "edited\n")
          check(@one)
        end
        first, second = news(@two)
        Edits::News.new(store).told([first])
        assert_equal [second], news(@two)
      end

      def test_news_goes_with_the_bundle
        edit_in_place(file(@one, FILE), "edited\n")
        check(@one)
        @two.forget(store)
        assert_equal [[], nil], [news(@two), Bundle.load(store, @two.root)]
      end

      def test_private_copy
        result = Edits::PrivateCopy.new(store).call(@one, "gems/alpha-1.0")
        assert_equal [3, []], [result.files, result.edits]
        edit_in_place(file(@one, FILE), "mine\n")
        @one = Bundle.load(store, @one.root)
        assert @one.tree("gems/alpha-1.0").private?
        assert_empty check(@one)
        assert_empty check(@two)
        assert_equal ["mine\n", RIGHT], [@one, @two].map { |bundle| File.read(file(bundle, FILE)) }
      end

      def test_private_copy_keeps_modes_and_times
        before = File.stat(file(@one, FILE))
        Edits::PrivateCopy.new(store).call(@one, "gems/alpha-1.0")
        after = File.stat(file(@one, FILE))
        refute_equal before.ino, after.ino
        assert_equal [before.mode, before.mtime, before.size], [after.mode, after.mtime, after.size]
      end

      private

      # One project keeps the edit, store and the other project have the right file again, linked.
      def assert_traced(edits, evidence)
        edit = edits.find(&:in_place?)
        assert edit, edits.inspect
        assert_equal [evidence, @one.root, [@two.root]], [edit.evidence, edit.project_root, edit.healed]
        assert_equal [["alpha-1.0", "lib/alpha.rb"], [file(@one, FILE)]], [[edit.name, edit.path], edit.kept_at]
        assert_equal [RIGHT, RIGHT], [File.read(file(@two, FILE)), File.read(object(@sha256, "lib/alpha.rb"))]
        assert_equal inode(file(@two, FILE)), inode(object(@sha256, "lib/alpha.rb"))
        refute_equal RIGHT, edited = File.read(file(@one, FILE))
        assert_equal edited, File.read(edit.saved_at)
        assert_includes edit.saved_at, "alpha-1.0/lib/alpha.rb"
        assert_empty store.native.verify_manifest(store.package(@sha256))
        edit
      end

      def news(bundle) = Edits::News.new(store).of(bundle.root)

      def vim(path)
        skip "vim is not here" unless system("command -v vim >/dev/null")
        command = ["vim", "-N", "-u", "NONE", "-es", "-c", "%s/A/Edited/", "-c", "wq", path]
        assert system(*command, in: File::NULL, out: File::NULL), "vim failed"
        assert_equal "module Edited; end\n", File.read(path)
      end

      # A bundle with a build laid over its package.
      def built_project(name)
        bundle = project(name, { "alpha-1.0" => @sha256 })
        entries = BUILT.map do |path, text|
          made = write("made-#{name}", text)
          store.native.adopt(made).merge(path: path).tap { File.unlink(made) }
        end
        store.native.write_manifest(store.build_path("c" * 64), @sha256, entries, "")
        assert store.native.link([[bundle.root, [store.build("c" * 64)], :hard]]).first.ok?
        trees = bundle.trees + [Bundle::Tree.new(path: "", packages: [], builds: ["c" * 64])]
        Bundle.new(root: bundle.root, app: bundle.app, trees: trees).tap { |made_of| made_of.save(store) }
      end

      # As if it was last changed ten minutes ago.
      def age(path) = File.utime(Time.now - 600, Time.now - 600, path)

      # Another store's file in a bundle's place; answers the place.
      def made_elsewhere(bundle, path)
        other = write("another store/#{File.basename(path)}", "made elsewhere\n")
        File.chmod(0o644, other)
        FileUtils.ln(other, file(bundle, path), force: true)
        file(bundle, path)
      end

      def replace(path, text)
        File.write("#{path}.new", text)
        File.rename("#{path}.new", path)
      end
    end
  end
end
