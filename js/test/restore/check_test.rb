# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # Restore::Check compares node_modules with the plan, and reports each difference.
  class JSRestoreCheckTest < RestoreCase
    def setup
      a = package("a", json: { bin: "cli.js" }, files: { "cli.js" => "#!/usr/bin/env node\n", "x.js" => "x" })
      @plan = plan(tree("node_modules/a", a), tree("node_modules/b", package("b")),
                   links: { "node_modules/link" => "../lib" })
      restore(@plan)
    end

    def context
      JS::Restore::Context.new(root: root, env: {}, store: store, events: Events.new, options: JS::Options.new)
    end

    def check = JS::Restore::Check.new(context, @plan).call

    def test_no_differences_after_a_restore
      assert_predicate check, :ok?
      assert_equal 2, check.total
    end

    def test_reports_each_difference
      File.unlink(inside("node_modules/a/x.js"))
      File.write(inside("node_modules/a/package.json"), "{}")
      FileUtils.rm_rf(inside("node_modules/b"))
      File.unlink(inside("node_modules/link"), inside("node_modules/.bin/a"))
      File.symlink("elsewhere", inside("node_modules/link"))
      write("app/node_modules/stray/x", "")
      told = check.differences.map(&:to_s)
      assert_equal ["node_modules/.bin/a is missing", "node_modules/a/package.json was changed",
                    "node_modules/a/x.js is missing", "node_modules/b is missing",
                    "node_modules/link is a link to elsewhere, expected ../lib",
                    "node_modules/stray is not in the lockfile"], told
    end

    # The folder was moved away and replaced with a link. This is reported even if its content is correct.
    def test_reports_packages_behind_a_link
      @plan = plan(tree("node_modules/@s/a", package("@s/a", json: { bin: "cli.js" },
                                                             files: { "lib/x.js" => "x", "cli.js" => "" })))
      restore(@plan)
      %w[@s @s/a @s/a/lib .bin].each do |moved|
        File.rename(path = inside("node_modules/#{moved}"), away = File.join(folder, "away"))
        File.symlink(away, path)
        told = { "@s/a/lib" => "@s/a/lib/x.js" }.fetch(moved, moved)
        assert_equal ["node_modules/#{told} is of another type"], check.differences.map(&:to_s)
        File.unlink(path)
        File.rename(away, path)
      end
      assert_predicate check, :ok?
    end

    def test_a_different_mtime_is_not_a_difference
      FileUtils.cp(inside("node_modules/a/x.js"), inside("copy"))
      File.rename(inside("copy"), inside("node_modules/a/x.js"))
      assert_predicate check, :ok?
    end

    def test_reports_files_added_to_a_package
      write("app/node_modules/a/extra", "")
      write("app/node_modules/a/more/x", "")
      assert_equal ["node_modules/a/extra is not in the lockfile", "node_modules/a/more is not in the lockfile"],
                   check.differences.map(&:to_s)
    end

    def test_reports_packages_missing_in_the_store
      Dir.glob("#{store.path("packages")}/*").each { |path| File.unlink(path) }
      result = check
      assert_equal [[], %w[a@1.0.0 b@1.0.0], false], [result.differences, result.unknown, result.ok?]
    end

    def test_a_package_whose_script_failed
      @plan = plan(tree("node_modules/s", package("s", files: { "x" => "x" })))
      restore(@plan)
      items = JS::Restore::Supply::Items.new(@plan)
      JS::Restore::Memory::Places.save(context, @plan, items, built: ["node_modules/s"])
      assert_equal [true, ["s@1.0.0"]], [check.ok?, check.scripted]
      File.unlink(inside("node_modules/s/package.json"))
      assert_equal ["node_modules/s/package.json is missing"], check.differences.map(&:to_s)
    end

    # The package is missing, so the bin's file is missing, too. Only the package is reported, although npm creates no
    # bin for a missing file.
    def test_a_bin_of_a_missing_package_is_not_a_stray
      style = Module.new do
        def self.entries(*rest) = Style.entries(*rest)
        def self.files(_folder) = { "node_modules/.bin/a" => "node_modules/a/cli.js" }
      end
      @plan.bins = [JS::BinFolder.new("node_modules/.bin", [], style)]
      FileUtils.rm_rf(inside("node_modules/a"))
      assert_equal ["node_modules/a is missing"], check.differences.map(&:to_s)
    end
  end
end
