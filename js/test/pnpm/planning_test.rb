# frozen_string_literal: true

require_relative "pnpm_case"

module Spate
  class PnpmPlanningTest < PnpmCase
    def test_each_package_has_a_slot_with_links_to_its_dependencies
      project({ "a" => "1.0.0", "@s/b" => "1.0.0(a@1.0.0)" },
              { "a@1.0.0" => { "dependencies" => { "c" => "2.0.0", "other" => "c@2.0.0" } },
                "@s/b@1.0.0(a@1.0.0)" => { "dependencies" => { "a" => "1.0.0", "@s/c" => "c@2.0.0" } },
                "c@2.0.0" => {} })

      assert_equal %w[node_modules/.pnpm/a@1.0.0/node_modules/a
                      node_modules/.pnpm/@s+b@1.0.0_a@1.0.0/node_modules/@s/b
                      node_modules/.pnpm/c@2.0.0/node_modules/c], paths
      assert_equal({ "node_modules/.pnpm/a@1.0.0/node_modules/c" => "../../c@2.0.0/node_modules/c",
                     "node_modules/.pnpm/a@1.0.0/node_modules/other" => "../../c@2.0.0/node_modules/c",
                     "node_modules/.pnpm/@s+b@1.0.0_a@1.0.0/node_modules/a" => "../../a@1.0.0/node_modules/a",
                     "node_modules/.pnpm/@s+b@1.0.0_a@1.0.0/node_modules/@s/c" => "../../../c@2.0.0/node_modules/c",
                     "node_modules/a" => ".pnpm/a@1.0.0/node_modules/a",
                     "node_modules/@s/b" => "../.pnpm/@s+b@1.0.0_a@1.0.0/node_modules/@s/b",
                     "node_modules/.pnpm/node_modules/@s/c" => "../../c@2.0.0/node_modules/c",
                     "node_modules/.pnpm/node_modules/c" => "../c@2.0.0/node_modules/c",
                     "node_modules/.pnpm/node_modules/other" => "../c@2.0.0/node_modules/c" }, links)
    end

    def test_tree_has_its_package_and_dependencies
      archive = { "tarball" => "https://host.test/b.tgz", "integrity" => "sha1-#{["b" * 20].pack("m0")}" }
      project({ "al" => "a@1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "https://host.test/b.tgz" } },
                                       "b@https://host.test/b.tgz" => { "optional" => true } },
              packages: { "b@https://host.test/b.tgz" => { "resolution" => archive, "version" => "3.0.0" } })
      one, other = plan.trees

      assert_equal ["a@1.0.0", "a@1.0.0", [other.path], false],
                   [one.key, one.package.full_name, one.needs, one.optional]
      assert_equal ["3.0.0", "https://host.test/b.tgz", JS::Package::Integrity.parse(archive["integrity"]), true],
                   [other.package.version, other.package.resolved, other.package.integrity, other.optional]
      assert_equal ".pnpm/a@1.0.0/node_modules/a", links["node_modules/al"]
    end

    # A stored plan then contains each package once.
    def test_age_check_uses_the_packages_of_the_trees
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} })
      write("pnpm-workspace.yaml", "minimumReleaseAge: 1440")
      found = plan

      assert_same found.trees.first.package, found.release_age.packages.first
    end

    def test_hoists_by_settings
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "eslint-x" => "1.0.0", "b" => "1.0.0" } },
                                    "eslint-x@1.0.0" => {}, "b@1.0.0" => {} })

      assert_equal %w[.pnpm/node_modules/b .pnpm/node_modules/eslint-x], hoisted
      assert_equal [], hoisted("hoist: false")
      assert_equal %w[.pnpm/node_modules/b eslint-x], hoisted("publicHoistPattern: ['*eslint*']")
      assert_equal %w[b eslint-x], hoisted("shamefullyHoist: true")
      assert_equal [".pnpm/node_modules/b"], hoisted("hoistPattern: ['*', '!eslint*']")
    end

    # Only pnpm 12 visits dependencies of packages that this machine cannot install. Before 10.12.2, the names of these
    # dependencies were not available for hoisting.
    def test_hoists_past_packages_for_other_machines
      project({ "a" => "1.0.0" },
              { "a@1.0.0" => { "optionalDependencies" => { "other" => "1.0.0" }, "dependencies" => { "c" => "1.0.0" } },
                "other@1.0.0" => { "optional" => true, "dependencies" => { "x" => "2.0.0" } }, "x@2.0.0" => {},
                "c@1.0.0" => { "dependencies" => { "d" => "1.0.0" } }, "x@1.0.0" => {},
                "d@1.0.0" => { "dependencies" => { "x" => "1.0.0", "y" => "x@2.0.0" } } },
              packages: { "other@1.0.0" => entry("other@1.0.0", os: ["nowhere"]) })
      found = %w[10.12.1 10.12.2 11.26.0 12.21.0].map do |version|
        installed(version)
        state = JSON.parse(plan.state.files(outcome)["node_modules/.modules.yaml"])["hoistedDependencies"]
        [state.key?("other@1.0.0"), state.find { |_, names| names.key?("x") }.first]
      end

      assert_equal [[true, "x@1.0.0"], [false, "x@1.0.0"], [false, "x@1.0.0"], [false, "x@2.0.0"]], found
    end

    # Observed with pnpm 9.15, 10.30 and 11.26. A package has the depth at which the first project reaches it, even if
    # a later project has a shorter path.
    def test_older_pnpm_orders_projects_with_an_npmrc_last
      needs = { "r1" => "r2", "r2" => "s", "t1" => "t2", "t2" => "t", "m1" => "m2", "m2" => "m3", "m3" => "s" }
      snapshots = needs.to_h { |name, other| ["#{name}@1.0.0", { "dependencies" => { other => "1.0.0" } }] }
      snapshots.merge!("s@1.0.0" => { "dependencies" => { "x" => "1.0.0" } }, "x@1.0.0" => {}, "x@2.0.0" => {},
                       "t@1.0.0" => { "dependencies" => { "x" => "2.0.0" } })
      write("package.json", "dependencies" => { "r1" => "1", "t1" => "1" })
      write("m/package.json", "dependencies" => { "m1" => "1" })
      write("pnpm-workspace.yaml", "packages: [m]\n")
      lock({ "." => importer({ "r1" => "1.0.0", "t1" => "1.0.0" }), "m" => importer({ "m1" => "1.0.0" }) }, snapshots)
      found = -> { links["node_modules/.pnpm/node_modules/x"][/x@\d/] }
      installed("10.30.3")
      before = found.call
      write(".npmrc", "")

      assert_equal %w[x@1 x@2], [before, found.call]
      installed("11.26.0")

      assert_equal "x@1", found.call
    end

    def test_omits_packages_for_other_machines_and_their_own_dependencies
      project({ "a" => "1.0.0" },
              { "a@1.0.0" => { "optionalDependencies" => { "other" => "1.0.0", "fits" => "1.0.0" } },
                "other@1.0.0" => { "optional" => true, "dependencies" => { "only" => "1.0.0" } },
                "only@1.0.0" => { "optional" => true }, "fits@1.0.0" => { "optional" => true } },
              packages: { "other@1.0.0" => entry("other@1.0.0", os: ["nowhere"]) })

      assert_equal %w[a@1.0.0 fits@1.0.0], plan.trees.map(&:key)
      assert_equal %w[only@1.0.0 other@1.0.0], plan.skipped
      refute_includes links, "node_modules/.pnpm/a@1.0.0/node_modules/other"
      assert_equal ["a@1.0.0"], plan(omit: ["optional"]).trees.map(&:key)
      assert_empty plan(omit: ["optional"]).skipped - plan.skipped
    end

    def test_omits_kinds
      write("package.json", "dependencies" => { "a" => "1" }, "devDependencies" => { "d" => "1" })
      lock({ "." => importer({ "a" => "1.0.0" }).merge(importer({ "d" => "1.0.0" }, "devDependencies")) },
           { "a@1.0.0" => {}, "d@1.0.0" => {} })

      assert_equal ["a@1.0.0"], plan(omit: ["dev"]).trees.map(&:key)
      assert_equal ["node_modules/a"], links(omit: ["dev"]).keys
    end

    def test_a_workspace
      write("pnpm-workspace.yaml", "packages: ['packages/*', '!packages/left']\n")
      write("package.json", "dependencies" => { "a" => "1" })
      write("packages/one/package.json", "name" => "one", "dependencies" => { "a" => "1", "two" => "1" })
      write("packages/two/package.json", "name" => "two")
      write("packages/left/package.json", "name" => "left")
      lock({ "." => importer({ "a" => "1.0.0" }), "packages/two" => {},
             "packages/one" => importer({ "a" => "1.0.0", "two" => "link:../two" }) }, { "a@1.0.0" => {} })

      assert_equal "../../two", links["packages/one/node_modules/two"]
      assert_equal "../../../node_modules/.pnpm/a@1.0.0/node_modules/a", links["packages/one/node_modules/a"]
      assert_equal "../../../packages/one", links["node_modules/.pnpm/node_modules/one"]
      assert_equal [".", "packages/one", "packages/two"], plan.projects.sort
      write("pnpm-workspace.yaml", "packages: ['packages/*', '!packages/left']\ndedupeDirectDeps: true\n")
      refute_includes links, "packages/one/node_modules/a"
    end

    def test_a_link_may_have_any_target_that_package_json_names
      project({ "a" => "link:../elsewhere" })

      assert_equal "../../elsewhere", links["node_modules/a"]
      assert_empty paths
    end

    def test_renamed_folders
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} })
      write("pnpm-workspace.yaml", "modulesDir: modules\nvirtualStoreDir: store/here\n")

      assert_equal({ "modules/a" => "../store/here/a@1.0.0/node_modules/a" }, links)
      ["modulesDir: ../x", "modulesDir: a/b", "virtualStoreDir: ../../x", "nodeLinker: hoisted", "symlink: false",
       "configDependencies: {a: 1.0.0}"].each do |setting|
        write("pnpm-workspace.yaml", setting)
        assert_raises(JS::LeftToTool, setting) { plan }
      end
    end

    def test_pnpmfile_is_left_to_pnpm
      project({})
      write(".pnpmfile.cjs", "")

      assert_raises(JS::LeftToTool) { plan }
    end

    def test_unsteady_pnpm_versions_are_left_to_pnpm
      { "11.26.0" => true, "11.27.0" => false, "11.28.11" => false, "12.0.0" => true }.each do |version, fine|
        installed(version)
        project({})

        fine ? plan : assert_raises(JS::LeftToTool, version) { plan }
      end
    end

    def test_plan_can_be_marshalled
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} })
      made = plan
      kept = Marshal.load(Marshal.dump(made))
      come = outcome(now: Time.at(0))

      assert_equal made.trees, kept.trees
      assert_equal made.state.files(come), kept.state.files(come)
    end

    def test_large_fixture_equals_that_of_pnpm
      skip "no fixtures (SPATE_TEST_NPM)" unless (folder = ENV.fetch("SPATE_TEST_NPM", nil))

      %w[package.json pnpm-lock.yaml pnpm-workspace.yaml].each do |name|
        FileUtils.cp("#{folder}/pnpm-fixture/#{name}", @root)
      end
      made = plan

      assert_equal [1355, 3827, []], [made.trees.size, made.links.size, made.skipped]
      assert_equal File.read("#{@root}/pnpm-lock.yaml"),
                   made.state.files(outcome)["node_modules/.pnpm/lock.yaml"]
    end

    private

    # Returns the names of hoisted links below node_modules.
    def hoisted(setting = "")
      write("pnpm-workspace.yaml", setting)
      names = links.keys.map { |path| path.delete_prefix("node_modules/") }
      names.reject { |path| path == "a" || path.include?("@1.0.0") }.sort
    end
  end
end
