# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/node_modules_comparison"
require "support/npm_registry"
require "support/pnpm_majors"

module Spate
  # Where the rules of pnpm's majors differ: each one's node_modules beside what Spate makes for it.
  class PnpmMajorsTest < Minitest::Test
    # Spate's text of what starts a program is its own.
    OTHERWISE = %r{/\.tmp: |\.bin/[\w-]+: expected executable file \w+, found executable file}

    def setup
      @registry = NpmRegistry.start
      @registry.add("one", "1.0.0", files: { "index.js" => "1\n" })
      @registry.add("two", "1.0.0", files: { "index.js" => "2\n" }, dependencies: { "three" => "1.0.0" })
      @registry.add("three", "1.0.0")
    end

    def teardown
      @registry.stop
      super
    end

    # Each major has a folder of its own, in which the block makes the project and says how to install. The lockfile is
    # the major's own; change: what happens to the project afterwards.
    def assert_as_each_pnpm(arguments: [], change: nil, options: {}, after: nil)
      PnpmMajors.each do |major, path|
        @root = "#{folder}/#{major}"
        @env = NpmRegistry.env(@registry, home: "#{folder}/home")
                          .merge("PATH" => path, "SPATE_HOME" => "#{folder}/spate",
                                 "pnpm_config_minimum_release_age" => "0")
        yield major
        pnpm("install", "--lockfile-only", "--ignore-scripts")
        change&.call
        pnpm("install", "--frozen-lockfile", "--ignore-scripts", *arguments)
        expected = snapshot
        after&.call(major)
        Dir.glob("#{@root}/{,*/}node_modules").each { |at| FileUtils.rm_rf(at) }
        restore(ignore_scripts: true, **options)

        assert_empty NodeModulesComparison.differences(expected, snapshot).grep_v(OTHERWISE), "pnpm #{major}"
        after&.call(major)
      end
    end

    def snapshot = NodeModulesComparison.snapshot(@root)
    def read(path) = File.read("#{@root}/#{path}")
    def put(path, text) = write("#{File.basename(@root)}/#{path}", text.is_a?(String) ? text : JSON.generate(text))

    def restore(**options)
      JS.restore(root: @root, store: Store.open(env: @env), env: @env, events: Events.new,
                 options: JS::Options.new(**options))
    end

    def pnpm(*arguments)
      output, status = Open3.capture2e(@env, "pnpm", *arguments, chdir: @root, unsetenv_others: true)
      assert_predicate status, :success?, output
    end

    def workspace(*)
      put("package.json", { name: "root", private: true, devDependencies: { one: "1.0.0" } })
      put("pnpm-workspace.yaml", "packages: [a, b, c]\n")
      member("a", dependencies: { one: "1.0.0" }, devDependencies: { three: "*" })
      member("b", dependencies: { two: "1.0.0" }, devDependencies: { one: "*" })
      member("c")
    end

    def member(name, **more)
      put("#{name}/package.json", { name: name, version: "1.0.0", **more })
    end

    def remove(*names) = -> { names.each { |name| FileUtils.rm_rf("#{@root}/#{name}") } }

    # As in a container to which some package.json files are copied.
    def test_importers_whose_project_is_not_there
      assert_as_each_pnpm(change: remove("b")) { workspace }
    end

    def test_importers_whose_project_is_not_there_without_a_kind
      assert_as_each_pnpm(arguments: ["--prod"], options: { omit: ["dev"] }, change: remove("b", "c")) { workspace }
    end

    def test_the_folder_of_a_project_without_its_package_json
      assert_as_each_pnpm(change: -> { File.unlink("#{@root}/b/package.json") }) { workspace }
    end

    # The workspace may have dropped it.
    def test_a_project_that_no_pattern_names
      assert_as_each_pnpm(change: -> { put("pnpm-workspace.yaml", "packages: [a, c]\n") }) { workspace }
    end

    def test_all_projects_but_the_root
      assert_as_each_pnpm(change: remove("a", "b", "c")) { workspace }
    end

    # What a project links to need not be there.
    def test_a_project_that_another_links_to
      assert_as_each_pnpm(change: remove("b")) do
        workspace
        member("a", dependencies: { b: "workspace:*" })
      end
    end

    # { executable => the package that has it }, by what each prints.
    def claim(owners)
      owners.each do |name, bins|
        @registry.add(name, "1.0.0", files: { "x" => ["#!/bin/sh\necho #{name}\n", 0o755] },
                                     bin: bins.to_h { |bin| [bin, "x"] })
      end
      dependencies = owners.keys.to_h { |name| [name, "1.0.0"] }
      lambda { |*|
        put("package.json", { name: "root", private: true, dependencies: dependencies })
        put("pnpm-workspace.yaml", "{}\n")
      }
    end

    def owners
      Dir.children("#{@root}/node_modules/.bin").sort.to_h do |name|
        [name, Open3.capture2("#{@root}/node_modules/.bin/#{name}").first.strip]
      end
    end

    def assert_same_owners(packages)
      found = Hash.new { |all, major| all[major] = [] }
      assert_as_each_pnpm(after: ->(major) { found[major] << owners }, &claim(packages))
      found.each { |major, (theirs, ours)| assert_equal theirs, ours, "pnpm #{major}" }
    end

    def test_names_of_executables_that_several_packages_have
      assert_same_owners("npm" => %w[npm npx], "npx" => %w[npx], "aa" => %w[both last pnx], "zz" => %w[both pn],
                         "@s/both" => %w[both], "pnpm" => %w[pnpm pn pnpx pnx], "@pnpm/exe" => %w[pnpm pn pnx],
                         "last" => %w[x-y], "last-x" => %w[x-y], "lasty" => %w[x-y])
    end
  end
end
