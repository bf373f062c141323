# frozen_string_literal: true

require_relative "pnpm_case"

module Spate
  class PnpmStateTest < PnpmCase
    def setup
      super
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } }, "b@1.0.0" => {} },
              package: { "name" => "p", "version" => "2.0.0" })
      @outcome = outcome(now: Time.utc(2026, 1, 2, 3, 4, 5), pending: ["b@1.0.0", "a@1.0.0(b@1.0.0)"])
    end

    def test_modules
      write("pnpm-workspace.yaml", "allowBuilds: {a: false}\nstoreDir: /store\n")
      found = read("node_modules/.modules.yaml")

      assert_equal({ "b@1.0.0" => { "b" => "private" } }, found["hoistedDependencies"])
      assert_equal ["Fri, 02 Jan 2026 03:04:05 GMT", ["b@1.0.0"], [], "/store/v11", ".pnpm", { "a" => false }],
                   found.values_at("prunedAt", "ignoredBuilds", "pendingBuilds", "storeDir", "virtualStoreDir",
                                   "allowBuilds")
    end

    def test_builds_are_pending_without_scripts
      @outcome.deferred = [[".", "packages/x"], ["b@1.0.0", "a@1.0.0"]]
      found = read("node_modules/.modules.yaml")

      assert_equal [%w[. packages/x a@1.0.0 b@1.0.0], nil], found.values_at("pendingBuilds", "ignoredBuilds")
    end

    # The values that pnpm 9.15.9, 10.34.9 and 11 wrote for this project.
    def test_state_of_older_versions
      { "9.15.9" => [[], nil, {}, nil], "10.34.9" => [[], ["a@1.0.0(b@1.0.0)", "b@1.0.0"], {}, nil],
        "11.0.0" => [[], ["a@1.0.0(b@1.0.0)", "b@1.0.0"], {}, nil],
        "12.0.0" => [[], ["a@1.0.0", "b@1.0.0"], nil, {}] }.each do |version, expected|
        installed(version)
        found = read("node_modules/.modules.yaml")

        assert_equal [*expected, "pnpm@#{version}"],
                     found.values_at("pendingBuilds", "ignoredBuilds", "injectedDeps", "allowBuilds", "packageManager")
      end
    end

    # Up to version 11, pnpm recorded pending builds in the order in which it visited packages.
    def test_the_order_of_pending_builds_in_older_versions
      project({ "z" => "1.0.0", "a" => "1.0.0" }, { "a@1.0.0" => {}, "c@1.0.0" => {},
                                                    "z@1.0.0" => { "dependencies" => { "c" => "1.0.0" } } })
      @outcome.deferred = [["."], ["a@1.0.0", "c@1.0.0", "z@1.0.0"]]
      installed("11.0.0")

      assert_equal %w[z@1.0.0 c@1.0.0 a@1.0.0], read("node_modules/.modules.yaml")["pendingBuilds"]
    end

    def test_project_scripts_are_pending_without_scripts
      write("package.json", JSON.parse(File.read("#{@root}/package.json")).merge("scripts" => { "prepublish" => "x" }))
      @outcome.deferred = [[], ["b@1.0.0", "a@1.0.0(b@1.0.0)"]]

      assert_equal %w[a@1.0.0(b@1.0.0) b@1.0.0], read("node_modules/.modules.yaml")["pendingBuilds"]
      old_pnpm

      assert_equal ["."], read("node_modules/.modules.yaml")["pendingBuilds"] - @outcome.deferred.last
    end

    def test_workspace_state
      found = read("node_modules/.pnpm-workspace-state-v1.json", omit: ["dev"])

      assert_equal({ @root => { "name" => "p", "version" => "2.0.0" } }, found["projects"])
      assert_equal [1_767_323_045_000, false, true],
                   [found["lastValidatedTimestamp"], *found["settings"].values_at("dev", "production")]
    end

    # Observed with pnpm 9.15, 10.28, 11.13 and 12.21, with and without scripts.
    def test_empty_list_of_ignored_builds_in_older_versions
      %w[10.28.2 11.13.1].each do |version|
        assert_equal [[nil, nil], [nil, []]], [ignored(version, []), ignored(version, ["b@1.0.0"])], version
      end
      %w[9.15.9 12.21.0].each { |version| assert_equal [nil, nil], ignored(version, ["b@1.0.0"]), version }
      patched_project

      %w[10.28.2 11.13.1].each { |version| assert_equal [[], []], ignored(version, []), version }
      assert_equal [nil, nil], ignored("12.21.0", [])
    end

    # The settings in each version's state were determined from pnpm's source code.
    def test_workspace_state_has_the_fields_of_each_version
      write("package.json", JSON.parse(File.read("#{@root}/package.json")).merge("resolutions" => { "x" => "1" }))
      write("pnpm-workspace.yaml", "overrides: {x: '1'}\n")
      lock({ "." => importer({ "a" => "1.0.0" }) }, { "a@1.0.0" => {} }, overrides: { "x" => "1" })

      assert_nil workspace_state("9.15.0")
      assert_equal [nil, false, nil, nil, nil], workspace_state("10.6.3", "")
      assert_equal [[], nil, nil, nil, nil], workspace_state("10.30.3")
      assert_equal [[], nil, { "x" => "1" }, nil, nil], workspace_state("11.0.0")
      assert_equal [[], nil, { "x" => "1" }, 1440, nil], workspace_state("11.22.0")
      assert_equal [[], nil, { "x" => "1" }, 1440, 120], workspace_state("12.0.0")
    end

    # The last release without the setting, and the first with it.
    def test_settings_by_the_release_that_added_them
      write("pnpm-workspace.yaml", "allowBuilds: {a: true}\n")
      @env["CI"] = "true"
      { %w[11.0.5 11.0.6] => "allowBuilds", %w[11.5.2 11.5.3] => "enableGlobalVirtualStore" }.each do |versions, name|
        found = versions.map do |version|
          installed(version)
          read("node_modules/.pnpm-workspace-state-v1.json")["settings"].key?(name)
        end

        assert_equal [false, true], found, name
      end
      maps = %w[11.7.0 11.8.0].map do |version|
        installed(version)
        plan.state.files(@outcome).key?("node_modules/.package-map.json")
      end

      assert_equal [false, true], maps
    end

    # The map was created by pnpm 11.13.
    def test_the_map_of_packages
      manifest = { "name" => "p", "packageManager" => "pnpm@11.13.1", "dependencies" => { "a" => "1", "x" => "1" } }
      write("package.json", manifest)
      lock({ "." => importer({ "a" => "1.0.0", "x" => "link:x" }) },
           { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } }, "b@1.0.0" => {} })

      assert_equal({ "." => ["..", { "a" => "a@1.0.0", "p" => ".", "x" => "x" }],
                     "a@1.0.0" => ["./.pnpm/a@1.0.0/node_modules/a", { "a" => "a@1.0.0", "b" => "b@1.0.0" }],
                     "b@1.0.0" => ["./.pnpm/b@1.0.0/node_modules/b", { "b" => "b@1.0.0" }], "x" => ["../x", {}] },
                   read("node_modules/.package-map.json")["packages"].transform_values(&:values))
    end

    def test_empty_lists_are_on_one_line
      assert_includes plan.state.files(@outcome)["node_modules/.modules.yaml"], "\"skipped\": [],\n"
    end

    # The current lockfile is pnpm's text without the entries of packages that are not installed.
    def test_the_current_lockfile
      write("package.json", "dependencies" => { "a" => "1" }, "devDependencies" => { "@s/d" => "1" })
      write("pnpm-lock.yaml", DEV)

      assert_equal DEV, current
      assert_equal PRODUCTION, current(omit: ["dev"])
    end

    DEV = <<~YAML
      lockfileVersion: '9.0'

      importers:

        .:
          dependencies:
            a:
              specifier: '1'
              version: 1.0.0
          devDependencies:
            '@s/d':
              specifier: '1'
              version: 1.0.0

      packages:

        '@s/d@1.0.0':
          resolution: {integrity: sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==}

        a@1.0.0:
          resolution: {integrity: sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==}

      snapshots:

        '@s/d@1.0.0': {}

        a@1.0.0: {}
    YAML
    PRODUCTION = DEV.sub(/^    devDependencies:.*?\n\n/m, "\n").sub(/^  '@s.d@1.0.0':\n.*?\n\n/m, "")
                    .sub("  '@s/d@1.0.0': {}\n\n", "")

    # Observed with each of these versions.
    def test_paths_of_patches_by_version
      patched_project
      found = %w[10.30.3 10.31.0 11.26.0 12.21.0].map do |version|
        installed(version)
        read("node_modules/.pnpm-workspace-state-v1.json").dig("settings", "patchedDependencies", "b@1.0.0")
      end

      assert_equal [nil, "#{@root}/patches/p.patch", "#{@root}/patches/p.patch", "patches/p.patch"], found
    end

    private

    def patched_project
      write("patches/p.patch", "x")
      write("pnpm-workspace.yaml", "patchedDependencies: {b@1.0.0: patches/p.patch}\n")
      hash = Digest::SHA256.hexdigest("x")
      project({ "b" => "1.0.0(patch_hash=#{hash})" }, { "b@1.0.0(patch_hash=#{hash})" => {} },
              patchedDependencies: { "b@1.0.0" => { "hash" => hash, "path" => "patches/p.patch" } })
    end

    # The ignoredBuilds, with and without disabled scripts.
    def ignored(version, asking)
      installed(version)
      [[[], asking], nil].map do |deferred|
        @outcome = outcome(asking: asking, deferred: deferred)
        read("node_modules/.modules.yaml")["ignoredBuilds"]
      end
    end

    # The fields of the workspace state that differ between versions.
    def workspace_state(version, suffix = "-v1")
      installed(version)
      text = plan.state.files(@outcome)["node_modules/.pnpm-workspace-state#{suffix}.json"] or return
      found = JSON.parse(text)
      found.values_at("pnpmfiles", "pnpmfileExists") +
        found["settings"].values_at("overrides", "minimumReleaseAge", "virtualStoreDirMaxLength")
    end

    def old_pnpm
      write("package.json", JSON.parse(File.read("#{@root}/package.json")).merge("packageManager" => "pnpm@10.33.0"))
    end

    def read(path, **options) = JSON.parse(plan(**options).state.files(@outcome)[path])
    def current(...) = plan(...).state.files(@outcome)["node_modules/.pnpm/lock.yaml"]
  end
end
