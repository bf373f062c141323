# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # Restore::Execution makes node_modules match a Plan.
  class JSRestoreExecutionTest < RestoreCase
    def nested
      a = package("a", json: { bin: "cli.js" }, files: { "cli.js" => "#!/usr/bin/env node\n", "lib/x.js" => "x" })
      b1 = package("b", "1.0.0", files: { "one" => "1" })
      b2 = package("b", "2.0.0", files: { "two" => "2" })
      plan(tree("node_modules/a", a), tree("node_modules/b", b1), tree("node_modules/a/node_modules/b", b2),
           tree("node_modules/@s/c", b2), links: { "node_modules/link" => "../lib" })
    end

    # pnpm links executables of packages inside an archive.
    def test_executables_of_a_package_in_the_archive_of_another
      bundled = { "node_modules/b/package.json" => JSON.generate(name: "b", bin: { b: "b.js", no: "no.js" }),
                  "node_modules/b/b.js" => "#!/bin/sh\n" }
      style = JS::Pnpm::Bins::Style.new(nil, false, [], nil, 11)
      bins = JS::BinFolder.new("node_modules/a/node_modules/.bin", [["b", "node_modules/a/node_modules/b"]], style)
      wanted = plan(tree("node_modules/a", package("a", json: { bundleDependencies: ["b"] }, files: bundled)),
                    bins: [bins])
      restore(wanted)

      assert_equal ["b"], Dir.children(inside("node_modules/a/node_modules/.bin"))
      assert_empty restore(wanted, surroundings: "there").removed
    end

    def test_all_files_are_in_place
      report = restore(nested)
      assert_equal "2", read("node_modules/a/node_modules/b/two")
      assert_equal "1", read("node_modules/b/one")
      assert_equal "2", read("node_modules/@s/c/two")
      assert_equal "../lib", File.readlink(inside("node_modules/link"))
      assert_equal "../a/cli.js", File.readlink(inside("node_modules/.bin/a"))
      assert_equal 0o755, File.stat(inside("node_modules/a/cli.js")).mode & 0o777
      assert_includes read("node_modules/.state"), "node_modules/@s/c"
      assert_equal [4, 3, 0, 4, 0], [report.total, report.fetched, report.from_store, report.linked, report.reused]
    end

    def test_the_store_needs_no_network
      restore(nested)
      FileUtils.rm_rf(inside("node_modules"))
      client.asked.clear
      report = restore(nested)
      assert_empty client.asked
      assert_equal [0, 3, 4], [report.fetched, report.from_store, report.linked]
      assert_equal "2", read("node_modules/a/node_modules/b/two")
      assert_equal 0o755, File.stat(inside("node_modules/a/cli.js")).mode & 0o777
    end

    def test_changes_only_differences
      restore(nested)
      before = File.stat(inside("node_modules/b/one")).ino
      changed = nested
      changed.trees[3] = tree("node_modules/@s/c", package("c", "3.0.0", files: { "three" => "3" }))
      changed.trees.delete_at(2)
      report = restore(changed)
      assert_equal before, File.stat(inside("node_modules/b/one")).ino
      refute_path_exists inside("node_modules/a/node_modules")
      assert_equal %w[package.json three], all("node_modules/@s/c")
      assert_equal [1, 2, 0], [report.linked, report.reused, report.from_store]
    end

    def test_strays_are_removed_and_caches_stay
      restore(nested)
      outside = write("outside/kept", "mine")
      write("app/node_modules/.cache/babel/x", "cached")
      write("app/node_modules/stray/x", "")
      write("app/node_modules/@s/stray/x", "")
      write("app/node_modules/.package-lock.json", "{}")
      File.symlink(File.dirname(outside), inside("node_modules/away"))
      report = restore(nested)
      removed = report.removed.map { |path| path.delete_prefix("node_modules/") }
      assert_equal %w[@s/stray away stray], removed.sort
      refute_path_exists inside("node_modules/.package-lock.json")
      assert_path_exists inside("node_modules/.cache/babel/x")
      assert_path_exists outside
      assert_equal 4, report.reused
    end

    def test_a_node_modules_of_another_tool_is_replaced
      write("app/node_modules/a/index.js", "theirs")
      write("app/node_modules/a/node_modules/z/index.js", "theirs")
      write("app/node_modules/.bin/a", "theirs")
      restore(nested)
      assert_equal %w[.bin .bin/a .state @s @s/c @s/c/package.json @s/c/two a a/cli.js a/lib a/lib/x.js a/node_modules
                      a/node_modules/b a/node_modules/b/package.json a/node_modules/b/two a/package.json b b/one
                      b/package.json link], all
    end

    def test_record_of_an_unchanged_project_is_accepted
      restore(nested)
      record = JS::Restore::Memory::Record.load(store, root)
      assert record.hold?("here")
      refute record.hold?("elsewhere")
      assert_equal({ "tool" => "npm", "total" => "4" }, record.summary)
      File.unlink(inside("node_modules/.bin/a"))
      refute record.hold?("here")
    end

    # Links are created in parallel with the trees, so they exist before the loss is detected.
    def test_no_links_to_an_unavailable_optional_package
      lost = package("o", files: { "x.js" => "unique" })
      wanted = plan(tree("node_modules/.pnpm/o/node_modules/o", lost, optional: true),
                    tree("node_modules/a", package("a")), links: { "node_modules/o" => ".pnpm/o/node_modules/o" })
      restore(wanted)
      damage("unique")
      FileUtils.rm_rf(inside("node_modules"))
      client.archives["o@1.0.0"] = Error.new("gone")
      assert_equal ["node_modules/.pnpm/o/node_modules/o"], restore(wanted).skipped.keys
      refute File.symlink?(inside("node_modules/o"))
      assert_path_exists inside("node_modules/a/package.json")
    end

    def damage(text)
      path = Dir.glob(store.path("objects/*/*")).find { |file| File.read(file) == text }
      File.chmod(0o644, path)
      File.write(path, "damaged")
    end
  end
end
