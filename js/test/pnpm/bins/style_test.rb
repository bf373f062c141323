# frozen_string_literal: true

require_relative "../pnpm_case"

module Spate
  class PnpmBinsStyleTest < PnpmCase
    def test_precedence_of_executables_with_the_same_name
      facts = { "p/h" => facts("run", run: "h"), "p/d" => facts("z", run: "d") }

      assert_equal "../d/d", target(%w[p/h p/d], facts, yielding: ["p/h"])
      assert_equal "../h/h", target(%w[p/h p/d], facts)
      assert_equal "../y/y", target(%w[p/x p/y], { "p/x" => facts("b", run: "x"), "p/y" => facts("a", run: "y") })
      assert_equal "../y/y", target(%w[p/x p/y], { "p/x" => facts("b", "1.9.0", run: "x"),
                                                   "p/y" => facts("b", "1.10.0", run: "y") })
    end

    # Omits executables whose names are paths (CVE-2026-23890) or contain special characters.
    def test_harmful_names_and_paths_are_omitted
      ["../x", "a/b", "", ".", "..", "a\nb", "a b", "a;b"].each do |name|
        assert_empty style.entries(folder(["p/a"]), "p/a" => JS::Package::Facts.new(name: "a", bins: { name => "x" })),
                     name
      end
      assert_empty style.entries(folder(["p/a"]), "p/a" => facts("a", run: "x\nrm -rf ."))
      assert_empty style.entries(folder(["p/a"]), {})
    end

    def test_directories_bin_is_used_without_bin
      found = JS::Package::Facts.new(name: "a", folder_bins: { "run" => "bin/run" })

      assert_equal ["p/.bin/run"], style.entries(folder(["p/a"]), "p/a" => found).keys
    end

    def test_symbolic_links_by_setting_and_for_node
      found = { "p/a" => JS::Package::Facts.new(name: "a", bins: { "run" => "x.js", "node" => "node" }) }

      assert_equal [JS::Symlink.new("../a/node")], style.entries(folder(["p/a"]), found).values.grep(JS::Symlink)
      assert_equal 2, style(symlinks: true).entries(folder(["p/a"]), found).values.grep(JS::Symlink).size
    end

    def test_sets_node_path
      folder = JS::BinFolder.new("node_modules/.bin", [["@s/a", "node_modules/.pnpm/@s+a@1/node_modules/@s/a"]], nil)
      found = { folder.packages[0][1] => facts("@s/a", run: "x.js") }
      text = style(node_path: "node_modules/.pnpm/node_modules").entries(folder, found)["node_modules/.bin/run"].text
      here = "\"$here\"/../.pnpm"

      assert_includes text, "NODE_PATH=#{here}/@s+a@1/node_modules/@s/a/node_modules:#{here}/@s+a@1/node_modules:" \
                            "#{here}/node_modules${NODE_PATH:+:$NODE_PATH}\n"
    end

    def test_folders_of_executables_in_a_plan
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } }, "b@1.0.0" => {} },
              packages: { "b@1.0.0" => entry("b@1.0.0", hasBin: true),
                          "a@1.0.0" => entry("a@1.0.0", bundledDependencies: ["c"]) })
      slot = "node_modules/.pnpm/a@1.0.0/node_modules/a"

      assert_equal({ "node_modules/.bin" => ["a"], "#{slot}/node_modules/.bin" => ["b", nil],
                     "node_modules/.pnpm/b@1.0.0/node_modules/b/node_modules/.bin" => ["b"],
                     "node_modules/.pnpm/node_modules/.bin" => ["b"] },
                   plan.bins.to_h { |each| [each.path, each.packages.map(&:first)] })
    end

    # pnpm 12 links executables with missing files, except a package's own.
    def test_executables_with_a_missing_file
      found = { "p/a" => JS::Package::Facts.new(name: "a", bins: { "a" => "no.js" }, missing: ["no.js"]) }
      names = [[false, nil], [true, nil], [true, "p/a"]].map do |missing, own|
        style = JS::Pnpm::Bins::Style.new(nil, false, [], false, missing ? 12 : 11, nil, own)
        style.entries(folder(["p/a"]), found).keys
      end

      assert_equal [[], ["p/.bin/a"], []], names
    end

    # From pnpm 12 on, every package has links to its own executables. Up to pnpm 11, packages that are built or patched
    # have them, and only if scripts may run or the project has patches.
    def test_packages_with_links_to_their_own_executables
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} }, packages: { "a@1.0.0" => entry("a@1.0.0", hasBin: true) })
      own = -> { plan(ignore_scripts: true).bins.any? { |each| each.path.end_with?("/a/node_modules/.bin") } }
      found = %w[11.0.0 12.0.0].map { |version| installed(version).then { own.call } }
      write("p.patch", "x")
      write("pnpm-workspace.yaml", "patchedDependencies: {b: p.patch}\n")
      installed("11.0.0")
      lock({ "." => importer({ "a" => "1.0.0" }) }, { "a@1.0.0" => {} },
           packages: { "a@1.0.0" => entry("a@1.0.0", hasBin: true) },
           patchedDependencies: { "b" => { "hash" => Digest::SHA256.hexdigest("x"), "path" => "p.patch" } })

      assert_equal [false, true, true], [*found, own.call]
    end

    # Older versions linked bundled packages last, so that these replaced all others.
    def test_bundled_packages_replace_others_in_older_versions
      given = { "b@1.0.0" => entry("b@1.0.0", hasBin: true),
                "a@1.0.0" => entry("a@1.0.0", bundledDependencies: true) }
      found = %w[12.0.0 11.0.0].map do |version|
        installed(version)
        project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } }, "b@1.0.0" => {} },
                packages: given)
        plan.bins.find { |each| each.path.end_with?("/a/node_modules/.bin") }.style.yielding
      end

      assert_equal [[], ["node_modules/.pnpm/b@1.0.0/node_modules/b"]], found
    end

    private

    def facts(name, version = "1.0.0",
              run:) = JS::Package::Facts.new(name: name, version: version, bins: { "run" => run })

    def folder(paths) = JS::BinFolder.new("p/.bin", paths.map { |path| [File.basename(path), path] }, nil)

    def style(node_path: nil, symlinks: false, yielding: [])
      JS::Pnpm::Bins::Style.new(node_path, symlinks, yielding)
    end

    def target(paths, facts, yielding: [])
      style(yielding: yielding).entries(folder(paths), facts)["p/.bin/run"].text[/^# cmd-shim-target=(.*)/, 1]
    end
  end
end
