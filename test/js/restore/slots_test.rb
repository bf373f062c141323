# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # A global virtual store: packages' trees are made once, and each project has links to them.
  class JSRestoreSlotsTest < RestoreCase
    def links = @links ||= File.join(File.realpath(folder), "home", "links")
    def slot(name) = "#{links}/#{name}/1.0.0/0abc"

    def shared(root: self.root)
      @packages ||= { "a" => package("a", json: { bin: "x.js" }, files: { "x.js" => "a" }), "b" => package("b") }
      trees = @packages.map { |name, package| tree("#{slot(name)}/node_modules/#{name}", package) }
      plan(*trees, links: { "#{slot("a")}/node_modules/b" => "#{slot("b")}/node_modules/b",
                            "node_modules/a" => "#{slot("a")}/node_modules/a" }, bins: [])
        .tap { |made| made.root = root }
    end

    def test_a_slot_has_all_that_belongs_to_it
      report = restore(shared)
      assert_equal [2, 2], [report.linked, report.fetched]
      assert_equal "a", read("node_modules/a/x.js")
      assert_equal %w[a b], Dir.children("#{slot("a")}/node_modules").sort
      assert_path_exists "#{slot("a")}/node_modules/b/package.json"
      assert_equal [".state", "a"], Dir.children(inside("node_modules")).sort
      assert JS::Restore::Memory::Record.load(store, root).hold?("here")
    end

    def test_another_project_makes_links_alone
      restore(shared)
      before = File.stat(slot("a")).ino
      other = File.realpath(File.dirname(write("other/package.json", "{}")))
      report = restore(shared(root: other))
      assert_equal [0, 2], [report.linked, report.reused]
      assert_equal before, File.stat(slot("a")).ino
      assert_equal "a", File.read("#{other}/node_modules/a/x.js")
    end

    def test_what_is_not_whole_is_made_anew
      restore(shared)
      File.unlink("#{slot("a")}/node_modules/a/package.json")
      write(slot("b"), "") if FileUtils.rm_rf(slot("b"))
      report = restore(shared)
      assert_equal 2, report.linked
      assert_path_exists "#{slot("a")}/node_modules/a/package.json"
      assert_path_exists "#{slot("b")}/node_modules/b/package.json"
      assert_equal %w[0abc], Dir.children("#{links}/a/1.0.0")
    end

    def test_eight_at_once_make_each_slot_once
      made = shared
      pids = Array.new(8) do |number|
        root = File.realpath(File.dirname(write("other#{number}/package.json", "{}")))
        fork do
          restore(shared(root: root), store: Store.open(home: File.join(folder, "home"), env: {}))
          exit!(0)
        rescue Exception # rubocop:disable Lint/RescueException -- whatever it is, minitest must not run here
          exit!(1)
        end
      end
      assert_equal [0] * 8, pids.map { |pid| Process.wait2(pid).last.exitstatus }
      assert_equal %w[0abc], Dir.children("#{links}/a/1.0.0")
      assert_path_exists "#{made.trees.first.path}/x.js"
    end

    def test_a_path_in_no_slot_is_refused
      made = shared
      made.trees << tree("/etc/node_modules/a", @packages["a"])
      assert_raises(JS::Restore::FolderError) { restore(made) }
      made.trees[-1] = tree("#{links}/../../x/links/node_modules/a", @packages["a"])
      assert_raises(JS::UnsafePathError) { restore(made) }
    end
  end
end
