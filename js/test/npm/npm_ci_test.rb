# frozen_string_literal: true

require_relative "npm_ci_case"

module Spate
  # Compares plans with the result of `npm ci` for the same lockfile.
  class NpmCiTest < NpmCiCase
    CLI = { "cli.js" => ["#!/usr/bin/env node\n", 0o755], "other.js" => "1" }.freeze

    def test_nested_packages_aliases_and_scopes
      add("a", "1.0.0", dependencies: { "b" => "^1" }, bin: { "a" => "cli.js", "ab" => "./other.js" }, files: CLI)
      add("b", "1.1.0", dependencies: { "@s/c" => "*" }, bin: "cli.js", files: CLI)
      add("b", "2.0.0", bin: "cli.js", files: CLI)
      add("@s/c", "3.0.0", bin: "other.js", files: CLI)
      lock({ "name" => "app", "dependencies" => { "a" => "1", "b" => "2", "other" => "npm:b@1" } })

      made = assert_as_npm_ci

      assert_equal "b@1.1.0", made.trees.find { |tree| tree.path == "node_modules/other" }.package.full_name
    end

    def test_omitting_all_kinds_leaves_no_node_modules
      add("a")
      lock({ "name" => "app", "devDependencies" => { "a" => "*" } })
      assert_as_npm_ci(omit: ["dev"])
      refute_path_exists "#{@root}/node_modules"
    end

    def test_omitted_kinds
      kinds
      %w[dev optional peer].each { |kind| assert_as_npm_ci(omit: [kind]) }
      assert_as_npm_ci(omit: %w[dev optional])
      assert_as_npm_ci
    end

    def test_legacy_peers
      kinds
      @settings["legacy-peer-deps"] = true
      lock(nil, "--legacy-peer-deps")

      assert_as_npm_ci("--legacy-peer-deps")
    end

    def test_optional_packages_for_other_systems
      add("here", "1.0.0", os: ["!nowhere"])
      add("there", "1.0.0", os: ["nowhere"], dependencies: { "only-there" => "*", "shared" => "*" })
      add("musl", "1.0.0", os: ["linux"], libc: ["musl"])
      add("glibc", "1.0.0", libc: ["glibc"], cpu: ["any"])
      add("old", "1.0.0", engines: { "node" => "<1" })
      add("only-there")
      add("shared")
      add("wants", "1.0.0", dependencies: { "shared" => "*", "there" => "*" })
      lock({ "name" => "app", "dependencies" => { "shared" => "*" },
             "optionalDependencies" => { "here" => "*", "there" => "*", "musl" => "*", "glibc" => "*", "old" => "*",
                                         "wants" => "*" } })

      assert_as_npm_ci
    end

    def test_workspaces
      workspaces
      made = assert_as_npm_ci

      assert_equal %w[. packages/one packages/two tools/three], made.projects.sort
      assert_as_npm_ci(omit: ["dev"])
    end

    def test_a_workspace_in_another
      add("a", "1.0.0")
      add("a", "2.0.0")
      write_json("outer/package.json", "name" => "outer", "version" => "1.0.0", "dependencies" => { "a" => "1" })
      write_json("outer/inner/package.json", "name" => "inner", "version" => "1.0.0", "dependencies" => { "a" => "2" })
      lock({ "name" => "app", "workspaces" => ["outer", "outer/inner"], "dependencies" => { "a" => "2" } })

      assert_as_npm_ci
      lock({ "name" => "app", "workspaces" => ["outer", "outer/inner"], "dependencies" => { "a" => "1" } })

      assert_as_npm_ci
    end

    def test_folders_and_archives_by_their_path
      add("a", "1.0.0")
      write_json("lib/f/package.json", "name" => "f", "version" => "1.0.0", "dependencies" => { "a" => "*" },
                                       "bin" => { "f" => "f.js" }, "scripts" => { "install" => "true" })
      File.write("#{@root}/lib/f/f.js", "#!/usr/bin/env node\n")
      FileUtils.mkdir_p("#{@root}/vendor")
      archive = NpmRegistry::Package.new("v", "1.2.3", files: CLI, bin: { "v" => "cli.js" }).archive
      File.binwrite("#{@root}/vendor/v.tgz", archive)
      lock({ "name" => "app", "dependencies" => { "f" => "file:lib/f", "v" => "file:./vendor/v.tgz" } })

      made = assert_as_npm_ci

      assert_equal "file:vendor/v.tgz", made.trees.find { |tree| tree.path == "node_modules/v" }.package.resolved
    end

    def test_a_folder_outside_that_package_json_names
      outside = File.join(File.dirname(@root), "#{File.basename(@root)}-outside")
      FileUtils.mkdir_p(outside)
      File.write("#{outside}/package.json", JSON.generate("name" => "o", "version" => "1.0.0", "bin" => "o.js"))
      File.write("#{outside}/o.js", "1")
      lock({ "name" => "app", "dependencies" => { "o" => "file:../#{File.basename(outside)}" } })

      assert_as_npm_ci
    ensure
      FileUtils.rm_rf(outside)
    end

    def test_bundled_packages
      add("carrier", "1.0.0", dependencies: { "inside" => "*" }, bundleDependencies: ["inside"], files: {
            "node_modules/inside/package.json" => JSON.generate("name" => "inside", "version" => "9.0.0",
                                                                "bin" => { "inside" => "cli.js" }),
            "node_modules/inside/cli.js" => "1"
          })
      add("inside", "1.0.0")
      lock({ "name" => "app", "dependencies" => { "carrier" => "*" } })

      made = assert_as_npm_ci(bundled: ["node_modules/carrier/node_modules/inside"])

      assert_equal ["node_modules/carrier"], made.trees.map(&:path)
    end

    def test_bundled_dependencies_of_the_root
      add("a", "1.0.0", dependencies: { "b" => "*" })
      add("b", "1.0.0")
      lock({ "name" => "app", "version" => "1.0.0", "dependencies" => { "a" => "*" }, "bundleDependencies" => ["a"] })

      assert_as_npm_ci
    end

    def test_conflicting_bins
      %w[b a-b a @s/z].each { |name| add(name, "1.0.0", bin: { "same" => "cli.js" }, files: CLI) }
      add("missing", "1.0.0", bin: { "gone" => "nowhere.js", "deep" => "cli.js" }, files: CLI)
      write_json("w/package.json", "name" => "aa", "version" => "1.0.0", "bin" => { "same" => "w.js", "own" => "w.js" })
      File.write("#{@root}/w/w.js", "1")
      lock({ "name" => "app", "workspaces" => ["w"],
             "dependencies" => { "b" => "*", "a-b" => "*", "a" => "*", "@s/z" => "*", "missing" => "*" } })

      assert_as_npm_ci
    end

    def test_the_layout_of_package_json
      add("a", "1.0.0", dependencies: { "10" => "*", "9" => "*", "b" => "*", "JS" => "*", "x_y" => "*", "x-y" => "*" })
      %w[10 9 b JS x_y x-y].each { |name| add(name) }
      write_json("package.json", "name" => "app", "dependencies" => { "a" => "*" })
      text = File.read("#{@root}/package.json").gsub("  ", "\t").gsub("\n", "\r\n")
      File.write("#{@root}/package.json", text)
      lock(nil)

      assert_as_npm_ci
    end

    def test_overrides
      add("a", "1.0.0", dependencies: { "b" => "1" })
      add("b", "1.0.0")
      add("b", "2.0.0")
      package = { "name" => "app", "dependencies" => { "a" => "*" }, "overrides" => { "b" => "2" } }
      lock(package)
      assert_as_npm_ci
      write_json("package.json", package.merge("overrides" => { "b" => "1.0" }))

      error = assert_raises(JS::DisagreementError) { plan }
      assert_match(/b@1.0 \(overrides in package.json\): the lockfile has 2.0.0/, error.message)
    end

    def test_packages_that_nothing_needs_are_removed
      add("a", "1.0.0", dependencies: { "b" => "*" })
      add("b")
      add("c")
      lock({ "name" => "app", "dependencies" => { "a" => "*", "c" => "*" } })
      write_json("package.json", "name" => "app", "dependencies" => { "c" => "*" })

      assert_as_npm_ci
    end

    def test_addresses_left_out_of_lockfiles
      kinds
      lock(nil, "--omit-lockfile-registry-resolved")

      refute_includes lockfile, "resolved"
      assert_as_npm_ci
      @settings["omit-lockfile-registry-resolved"] = true
      lock(nil)

      assert_as_npm_ci("--omit-lockfile-registry-resolved")
    end

    private

    def kinds
      add("p", "1.0.0", dependencies: { "shared" => "*" }, peerDependencies: { "peer" => "*", "maybe" => "*" },
                        peerDependenciesMeta: { "maybe" => { "optional" => true } })
      add("d", "1.0.0", dependencies: { "shared" => "*", "both" => "*" }, peerDependencies: { "maybe" => "*" })
      add("o", "1.0.0", dependencies: { "both" => "*", "o-only" => "*" })
      add("peer", "1.0.0", dependencies: { "peer-dep" => "*" })
      %w[shared both o-only peer-dep maybe].each { |name| add(name) }
      lock({ "name" => "app", "dependencies" => { "p" => "*" }, "devDependencies" => { "d" => "*" },
             "optionalDependencies" => { "o" => "*" } })
    end

    def workspaces
      add("a", "1.0.0")
      add("a", "2.0.0", bin: "cli.js", files: CLI)
      write_json("packages/one/package.json",
                 "name" => "@w/one", "version" => "1.0.0", "dependencies" => { "a" => "1", "@w/two" => "*" },
                 "bin" => { "one" => "one.js" }, "license" => { "type" => "MIT" }, "funding" => "http://localhost/")
      File.write("#{@root}/packages/one/one.js", "1")
      write_json("packages/two/package.json", "name" => "@w/two", "devDependencies" => { "a" => "2" })
      write_json("tools/three/package.json", "version" => "3.0.0", "optionalDependencies" => { "a" => "2" })
      write_json("packages/not/package.json", "name" => "not")
      FileUtils.mkdir_p("#{@root}/packages/empty")
      lock({ "name" => "app", "workspaces" => ["./packages/*", "!packages/not", "tools/**"],
             "dependencies" => { "a" => "2" } })
    end
  end
end
