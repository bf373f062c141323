# frozen_string_literal: true

require_relative "../restore_case"

module Spate
  # A restore keeps and reports edited packages, and places incomplete ones again.
  class JSRestoreInPlaceTest < RestoreCase
    FILE = "node_modules/a/package.json"
    STATE = "node_modules/.package-lock.json"

    def setup
      @plan = plan(tree("node_modules/a", package("a", files: { "x.js" => "a" })), tree("node_modules/b", package("b")))
      @plan.state = State.new(STATE)
      restore(@plan)
    end

    # Replaces the file with a new one, as most editors do.
    def edit(path, text)
      File.write(inside("edited"), text)
      File.rename(inside("edited"), inside(path))
    end

    def edited(**more) = edit(FILE, JSON.generate({ name: "a", version: "1.0.0", **more }))
    def warnings = ["edited in node_modules, and kept: a"]

    def assert_anew(options = JS::Options.new)
      report = restore(@plan, options: options)
      assert_equal [1, [], package("a").version, "a"],
                   [report.linked, report.warnings, JSON.parse(read(FILE))["version"], read("node_modules/a/x.js")]
      refute_includes read(FILE), "mine"
    end

    def test_an_edited_package_json_is_kept_and_reported_once
      edited(mine: true)
      edit("node_modules/a/x.js", "mine")
      hints = []
      report = restore(@plan, events: Events.new.subscribe { |event| hints << event[:hint] })
      assert_equal [0, 2, warnings], [report.linked, report.reused, report.warnings]
      assert_includes hints, "spate js --restore a"
      assert_equal ["mine", true], [read("node_modules/a/x.js"), JSON.parse(read(FILE))["mine"]]
      assert JS::Restore::Memory::Record.load(store, root).hold?("here")
      assert_empty restore(@plan).warnings
      assert_anew(JS::Options.new(restore: ["a"]))
    end

    def test_edit_through_a_link_is_reported
      File.write(inside(FILE), "\n", mode: "a")
      assert_equal warnings, restore(@plan).warnings
      assert read(FILE).end_with?("\n")
    end

    # If scripts will run, the files are restored from the archive first, so the edits are lost.
    def test_no_warning_for_an_edit_if_scripts_will_run
      write("app/package.json", JSON.generate(allowScripts: { a: true }))
      @plan = plan(tree("node_modules/a", package("a", json: { scripts: { install: "true" } })), state: @plan.state)
      restore(@plan, options: JS::Options.new(ignore_scripts: true))
      edited(mine: true, scripts: { install: "true" })
      report = RestorePlan.call(@plan, store: store, client: client, env: { "PATH" => ENV.fetch("PATH") })
      assert_equal [1, []], [report.built, report.warnings]
    end

    def test_the_same_content_with_another_mtime_is_not_an_edit
      edit(FILE, read(FILE))
      report = restore(@plan)
      assert_equal [0, []], [report.linked, report.warnings]
    end

    { "of another version" => '{"name":"a","version":"2.0.0"}', "of another name" => '{"name":"b","version":"1.0.0"}',
      "with invalid JSON" => "mine" }.each do |what, text|
      define_method(:"test_one_#{what.tr(" ", "_")}_is_made_anew") do
        edit(FILE, text)
        assert_anew
      end
    end

    def test_a_package_with_a_missing_file_is_placed_again
      edited(mine: true)
      File.unlink(inside("node_modules/a/x.js"))
      assert_anew
    end

    def test_a_package_of_another_user_is_placed_again
      skip "needs root, to give a file away" unless Process.euid.zero?
      edited(mine: true)
      File.link(inside(FILE), inside("theirs"))
      File.chown(1, nil, inside(FILE))
      assert_anew
    end

    def test_edits_are_not_trusted_after_another_tool_ran
      edited(mine: true)
      edit(STATE, read(STATE))
      assert_anew
    end
  end
end
