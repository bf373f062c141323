# frozen_string_literal: true

require_relative "pnpm_case"
require "open3"
require "support/node_modules_comparison"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # Compares pnpm's result with Spate's for packages with scripts, bundled packages, and empty projects. Both work in
  # the same folder.
  class PnpmBesideTest < PnpmCase
    # Expected differences: the text of shims, and the .tmp that pnpm creates as root.
    OTHERWISE = %r{/\.tmp: |\.bin/\w+: expected executable file \w+, found executable file}
    LISTS = "packages: ['packages/*']\nallowBuilds:\n  one: true\n  two: false\n  bad: true\nstrictDepBuilds: false\n"

    def setup
      super
      skip "no pnpm" unless NpmTools.path("pnpm")

      @base = File.realpath(Dir.mktmpdir("spate-beside"))
      @registry = NpmRegistry.start
      @env = NpmRegistry.env(@registry, home: @base).merge("PATH" => ENV.fetch("PATH"),
                                                           "SPATE_HOME" => "#{@base}/spate")
      built = { postinstall: "touch built" }
      @registry.add("one", "1.0.0", files: { "x" => "#!/bin/sh\n" }, bin: { "one" => "x" }, scripts: built)
      @registry.add("two", "1.0.0", scripts: built, peerDependencies: { "one" => "*" },
                                    dependencies: { "three" => "*" })
      @registry.add("three", "1.0.0", files: { "binding.gyp" => "{}" })
      @registry.add("bad", "1.0.0", scripts: { install: "exit 1" })
      project_of({ "one" => "*", "two" => "*" })
    end

    def teardown
      @registry&.stop
      FileUtils.rm_rf(@base) if @base
      super
    end

    def test_scripts_that_are_ignored
      write("packages/a/package.json", "name" => "a", "scripts" => { "prepare" => "true" })
      write("packages/b/package.json", "name" => "b", "scripts" => { "test" => "true" })

      assert_as_pnpm(%w[--ignore-scripts], ignore_scripts: true)
      write("pnpm-workspace.yaml", "#{LISTS}ignoreScripts: true\n")
      assert_as_pnpm
    end

    def test_scripts_by_lists = assert_as_pnpm

    def test_an_optional_package_that_cannot_be_built
      project_of({ "one" => "*" }, "optionalDependencies" => { "bad" => "*" })

      assert_as_pnpm
    end

    # The folder of hoisted packages exists even if all packages are hoisted to the project.
    def test_packages_hoisted_to_the_project
      write("pnpm-workspace.yaml", "#{LISTS}shamefullyHoist: true\n")

      assert_as_pnpm
      assert_empty Dir.children("#{@root}/node_modules/.pnpm/node_modules") - [".bin"]
    end

    def test_a_project_without_packages
      project_of({})

      assert_as_pnpm
    end

    # The archive also contains a package that its package.json does not list.
    def test_bundled_packages
      inner = %w[in @in/scoped].to_h do |name|
        ["node_modules/#{name}/package.json", JSON.generate(name: name, version: "1.0.0", bin: "x")]
      end
      files = %w[in @in/scoped].to_h { |name| ["node_modules/#{name}/x", "#!/bin/sh\n"] }
      @registry.add("carrier", "1.0.0", files: inner.merge(files), bundleDependencies: ["in"],
                                        dependencies: { "in" => "*" })
      project_of({ "carrier" => "*" })

      assert_as_pnpm
      assert_equal %w[in scoped], Dir.children(Dir.glob("#{@root}/**/carrier/node_modules/.bin").first).sort
    end

    private

    def project_of(dependencies, more = {})
      write("package.json", { "name" => "app", "dependencies" => dependencies, **more })
      write("pnpm-workspace.yaml", LISTS)
    end

    def assert_as_pnpm(arguments = [], **options)
      pnpm("install", "--lockfile-only", "--ignore-scripts")
      pnpm("install", "--frozen-lockfile", *arguments)
      expected = NodeModulesComparison.snapshot(@root)
      Dir.glob("#{@root}/{,packages/*/}node_modules").each { |folder| FileUtils.rm_rf(folder) }
      JS.restore(root: @root, store: Store.open(env: @env), env: @env, events: Events.new,
                 options: JS::Options.new(**options))
      found = NodeModulesComparison.snapshot(@root)

      assert_empty NodeModulesComparison.differences(expected, found).grep_v(OTHERWISE)
    end

    def pnpm(*arguments)
      output, status = Open3.capture2e(@env, "pnpm", *arguments, chdir: @root, unsetenv_others: true)
      assert_predicate status, :success?, output
    end
  end
end
