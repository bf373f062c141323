# frozen_string_literal: true

require_relative "pnpm_case"

module Spate
  class PnpmAgreementTest < PnpmCase
    def setup
      super
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} })
    end

    def test_specifiers
      assert plan
      disagrees(/a is 2 in dependencies of package.json, 1 in the lockfile/, "dependencies" => { "a" => "2" })
      disagrees(/a is not in dependencies of package.json, 1 in/, {})
      disagrees(/b is 1 in devDependencies of package.json, not in/,
                "dependencies" => { "a" => "1" }, "devDependencies" => { "b" => "1" })
    end

    def test_peers_that_pnpm_installs_by_itself
      write("package.json", "peerDependencies" => { "a" => "1" })

      assert plan
      write("pnpm-workspace.yaml", "autoInstallPeers: false\n")

      assert_raises(JS::DisagreementError) { plan }
    end

    def test_ignored_optional_dependencies
      write("package.json", "dependencies" => { "a" => "1" }, "optionalDependencies" => { "b" => "1" })
      write("pnpm-workspace.yaml", "ignoredOptionalDependencies: [b]\n")
      lock({ "." => importer({ "a" => "1.0.0" }) }, { "a@1.0.0" => {} }, ignoredOptionalDependencies: ["b"])

      assert plan
      lock({ "." => importer({ "a" => "1.0.0" }) }, { "a@1.0.0" => {} })

      assert_match(/ignoredOptionalDependencies/, assert_raises(JS::DisagreementError) { plan }.message)
    end

    def test_overrides_and_their_references
      settings = "overrides: {x: $a, y@1>z: 'catalog:', a: '1'}\ncatalog: {z: 3.0.0}\n"
      write("pnpm-workspace.yaml", settings)

      error = assert_raises(JS::DisagreementError) { plan }
      assert_match(/overrides: the lockfile has {}, expected {"x":"1",/, error.message)
      write("package.json", "dependencies" => { "a" => "5" })
      lock({ "." => importer({ "a" => "1.0.0" }) }, { "a@1.0.0" => {} },
           overrides: { "x" => "5", "y@1>z" => "3.0.0", "a" => "1" })

      assert plan
    end

    # An override can refer to package.json, and package.json to a catalog.
    def test_overrides_that_refer_to_a_catalog_by_way_of_package_json
      write("pnpm-workspace.yaml", "overrides: {a: $a}\ncatalog: {a: '7'}\n")
      write("package.json", "dependencies" => { "a" => "catalog:" })
      a = { "a" => { "specifier" => "7", "version" => "1.0.0" } }
      lock({ "." => { "dependencies" => a } }, { "a@1.0.0" => {} }, overrides: { "a" => "7" },
                                                                    catalogs: { "default" => a })

      assert plan
    end

    def test_peer_with_an_override_unsupported_for_peers_is_a_dependency
      write("pnpm-workspace.yaml", "overrides: {a: 'npm:b@1.0.0'}\n")
      write("package.json", "peerDependencies" => { "a" => "*" }, "devDependencies" => { "a" => "latest" })
      found = { "a" => { "specifier" => "npm:b@1.0.0", "version" => "b@1.0.0" } }
      lock({ "." => { "dependencies" => found } }, { "b@1.0.0" => {} }, overrides: { "a" => "npm:b@1.0.0" })

      assert plan
    end

    def test_a_folder_in_an_override_is_named_from_the_root
      write("pnpm-workspace.yaml", "packages: [x]\noverrides: {a: 'link:.'}\n")
      write("package.json", {})
      write("x/package.json", "dependencies" => { "a" => "latest" })
      lock({ "." => {}, "x" => { "dependencies" => { "a" => { "specifier" => "link:..", "version" => "link:.." } } } },
           overrides: { "a" => "link:." })

      assert plan
    end

    def test_package_json_has_settings_only_up_to_pnpm10
      package = { "dependencies" => { "a" => "1" }, "pnpm" => { "overrides" => { "b" => "2" } } }
      write("package.json", package)

      assert plan
      disagrees(/overrides/, package.merge("packageManager" => "pnpm@10.1.0"))
    end

    def test_catalogs
      lock({ "." => importer({ "a" => "1.0.0" }) }, { "a@1.0.0" => {} },
           catalogs: { "default" => { "a" => { "specifier" => "^1", "version" => "1.0.0" } } })

      assert_match(/catalogs.default.a: the lockfile has "\^1", expected nothing/,
                   assert_raises(JS::DisagreementError) { plan }.message)
      write("pnpm-workspace.yaml", "catalog: {a: ^1}\n")

      assert plan
    end

    # The message contains the digest that the lockfile should have.
    def test_package_extensions
      write("pnpm-workspace.yaml", "packageExtensions: {a: {dependencies: {b: 1.0.0}}}\n")
      sum = JS::Pnpm::ObjectHash.checksum("a" => { "dependencies" => { "b" => "1.0.0" } })

      assert_match(/packageExtensionsChecksum: .*expected "#{Regexp.escape(sum)}"/,
                   assert_raises(JS::DisagreementError) { plan }.message)
    end

    # The checksum was computed by pnpm 9.15.9 for this value.
    def test_package_extensions_with_an_older_one
      write("package.json", { "dependencies" => { "a" => "1" }, "packageManager" => "pnpm@9.15.9",
                              "pnpm" => { "packageExtensions" => { "d@1" => { "dependencies" => { "b" => "*" } } } } })

      assert_match(/packageExtensionsChecksum: .*expected "4d09faddd5c172350229d8a384442fba"/,
                   assert_raises(JS::DisagreementError) { plan }.message)
    end

    def test_a_project_without_an_importer
      write("pnpm-workspace.yaml", "packages: ['p/**']\n")
      write("p/x/y/package.json", {})

      assert_match(%r{no importer p/x/y}, assert_raises(JS::DisagreementError) { plan }.message)
    end

    # The other projects are installed. When the missing one is added, the plan changes.
    def test_an_importer_without_a_project
      write("pnpm-workspace.yaml", "packages: ['p/*']\n")
      lock({ "." => importer({ "a" => "1.0.0" }), "p/z" => importer({ "b" => "1.0.0" }) },
           { "a@1.0.0" => {}, "b@1.0.0" => {} })

      assert_equal ["node_modules/.pnpm/a@1.0.0/node_modules/a"], plan.trees.map(&:path)
      assert_equal ["."], plan.projects
      assert_includes plan.inputs, "#{@root}/p/z/package.json"
      write("p/z/package.json", { "dependencies" => { "b" => "1" } })

      assert_equal %w[. p/z], plan.projects.sort
      assert_equal %w[a b], plan.trees.map { |tree| tree.package.name }
    end

    def test_patches
      write("pnpm-workspace.yaml", "patchedDependencies: {a@1.0.0: patches/a.patch}\n")
      write("patches/a.patch", "one\r\ntwo\n")
      sum = Digest::SHA256.hexdigest("one\ntwo\n")
      key = "1.0.0(patch_hash=#{sum})"
      lock({ "." => importer({ "a" => key }) }, { "a@#{key}" => {} }, patchedDependencies: { "a@1.0.0" => sum })

      assert_equal ["patches/a.patch"], plan.trees.map(&:patch)
      assert_includes plan.inputs, "#{@root}/patches/a.patch"
      write("patches/a.patch", "other")

      assert_match(/the patch of a@1.0.0: /, assert_raises(JS::DisagreementError) { plan }.message)
      write("pnpm-workspace.yaml", "patchedDependencies: {a@1.0.0: ../a.patch}\n")

      assert_raises(JS::UnsafePathError) { plan }
    end

    private

    def disagrees(message, package)
      write("package.json", package)
      error = assert_raises(JS::DisagreementError) { plan }

      assert_match message, error.message
      assert_equal "run `pnpm install` to update the lockfile", error.hint
    end
  end
end
