# frozen_string_literal: true

require_relative "case"

module Spate
  class NpmPlannerTest < NpmCase
    def test_places_each_package_where_the_lockfile_has_it
      write({ "dependencies" => { "a" => "1" } },
            { "node_modules/a" => entry(dependencies: { "b" => "2" }, bin: { "a" => "cli.js" }),
              "node_modules/a/node_modules/b" => entry("2.0.0") })

      made = plan

      assert_equal %w[node_modules/a node_modules/a/node_modules/b], made.trees.map(&:path)
      assert_equal ["node_modules/a/node_modules/b"], made.trees[0].needs
      assert_equal "a@1.0.0", made.trees[0].package.full_name
      assert_equal({ "node_modules/.bin/a" => JS::Symlink.new("../a/cli.js") },
                   made.bins[0].style.entries(made.bins[0]))
    end

    def test_omits_packages_for_other_machines_and_their_own_dependencies
      write({ "dependencies" => { "a" => "1" }, "optionalDependencies" => { "other" => "1" } },
            { "node_modules/a" => entry(dependencies: { "shared" => "1" }),
              "node_modules/needed" => entry(optional: true, dependencies: { "shared" => "1" }),
              "node_modules/other" => entry(optional: true, os: ["nowhere"], dependencies: { "needed" => "1" }),
              "node_modules/shared" => entry })

      assert_equal %w[node_modules/a node_modules/shared], paths
      assert_equal %w[node_modules/other node_modules/needed], plan.skipped
    end

    def test_links_workspaces
      write({ "workspaces" => ["packages/*"] },
            { "node_modules/@s/one" => { "resolved" => "packages/one", "link" => true },
              "packages/one" => { "name" => "@s/one", "version" => "1.0.0", "dependencies" => { "a" => "1" } },
              "packages/one/node_modules/a" => entry })
      write_json("packages/one/package.json",
                 "name" => "@s/one", "version" => "1.0.0", "dependencies" => { "a" => "1" })

      assert_equal({ "node_modules/@s/one" => "../../packages/one" }, plan.links)
      assert_equal ["packages/one/node_modules/a"], paths
      assert_equal [".", "packages/one"], plan.projects
    end

    def test_paths_of_possible_workspaces_are_inputs
      patterns = ["packages/*", "{apps/web,libs/*}", "deep/**", "by/*/lib", "!packages/no"]
      %w[packages/one deep/x/y by/a/node_modules].each { |path| FileUtils.mkdir_p(File.join(@root, path)) }
      write({ "workspaces" => patterns })
      found = plan.inputs.select { |path| path.start_with?("#{@root}/") }.map { |path| path.delete_prefix("#{@root}/") }
      assert_empty %w[packages packages/one/package.json apps/web/package.json libs deep deep/x deep/x/y by] - found
      refute_includes found, "by/a/node_modules"
      write({ "workspaces" => ["*"] })
      assert_includes plan.inputs, @root
    end

    def test_omits_kinds
      write({ "dependencies" => { "a" => "1" }, "devDependencies" => { "d" => "1" } },
            { "node_modules/a" => entry, "node_modules/d" => entry(dev: true) })

      assert_equal ["node_modules/a"], paths("dev")
      @settings.env["NODE_ENV"] = "production"

      assert_equal ["node_modules/a"], paths
      @settings["include"] = ["dev"]

      assert_equal %w[node_modules/a node_modules/d], paths
    end

    def test_large_fixture_equals_that_of_npm
      skip "no fixtures (SPATE_TEST_NPM)" unless (folder = ENV.fetch("SPATE_TEST_NPM", nil))

      %w[package.json package-lock.json].each { |name| FileUtils.cp("#{folder}/npm-fixture/#{name}", @root) }
      @settings["legacy-peer-deps"] = true

      assert_equal 1460, plan.trees.size
      assert_equal %w[bindings file-uri-to-path fsevents nan], plan.skipped.map { |path| File.basename(path) }.sort
    end
  end
end
