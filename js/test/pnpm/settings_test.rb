# frozen_string_literal: true

require_relative "pnpm_case"

module Spate
  class PnpmSettingsTest < PnpmCase
    def test_defaults_of_each_version
      assert_equal [[], ["*"], 1440],
                   [settings.public_hoist_pattern, settings.hoist_pattern, settings["minimumReleaseAge"]]
      assert_equal %w[*eslint* *prettier*], settings(version: "9.15.0").public_hoist_pattern
      assert_nil settings(version: "10.1.0")["minimumReleaseAge"]
    end

    def test_npmrc_and_package_json_are_read_up_to_version_ten
      given = { package: { "pnpm" => { "hoist" => false } },
                npm: { "shamefully-hoist" => "true", "modules-dir" => "m" } }

      assert_equal [nil, ["*"], "m"], layout(settings(version: "10.1.0", **given))
      assert_equal [["*"], [], "node_modules"], layout(settings(version: "11.1.0", **given))
      assert_equal [["*"], [], "node_modules"], layout(settings(**given))
    end

    def test_workspace_file_has_settings_only_in_newer_versions
      yaml = { "hoist" => false, "packages" => ["a"], "overrides" => { "a" => "1" } }

      %w[9.15.0 10.4.1].each do |version|
        found = settings(yaml: yaml, version: version)

        assert_equal [true, ["a"], nil], [found["hoist"], found["packages"], found["overrides"]]
      end
      refute settings(yaml: yaml, version: "10.5.0")["hoist"]
    end

    def test_settings_newer_than_the_version_are_ignored
      yaml = { "allowBuilds" => { "a" => true }, "linkWorkspacePackages" => "deep" }

      assert_empty settings(yaml: yaml, version: "10.25.0").allowed_builds
      assert_equal({ "a" => true }, settings(yaml: yaml, version: "10.26.0").allowed_builds)
      assert_equal "deep", settings(yaml: yaml)["linkWorkspacePackages"]
    end

    def test_environment_takes_precedence
      yaml = { "hoistPattern" => ["a"], "dedupeDirectDeps" => true }
      found = settings(yaml: yaml,
                       env: { "PNPM_CONFIG_HOIST_PATTERN" => "[\"b\"]",
                              "pnpm_config_dedupe_direct_deps" => "false" })

      assert_equal [["b"], false], [found["hoistPattern"], found["dedupeDirectDeps"]]
      assert_equal ["a"],
                   settings(version: "10.9.0", yaml: yaml, env: { "npm_config_hoist_pattern" => "c" })["hoistPattern"]
      refute_equal settings.fingerprint, found.fingerprint
    end

    def test_which_builds_are_allowed
      yaml = { "allowBuilds" => { "a" => true, "b" => false, "c" => "?" } }
      package = { "pnpm" => { "onlyBuiltDependencies" => ["a"] } }

      assert_equal({ "a" => true, "b" => false }, settings(yaml: yaml).allowed_builds)
      assert_equal({ "a" => true }, settings(version: "10.0.0", package: package).allowed_builds)
    end

    def test_overrides_may_be_resolutions
      package = { "resolutions" => { "a" => "1" } }

      assert_nil settings(package: package)["overrides"]
      assert_equal({ "a" => "1" }, settings(version: "10.33.0", package: package)["overrides"])
      package = package.merge("pnpm" => { "overrides" => { "b" => "2" } })

      assert_equal({ "a" => "1", "b" => "2" }, settings(version: "10.33.0", package: package)["overrides"])
      assert_equal({ "b" => "2" }, settings(package: package, yaml: { "overrides" => { "b" => "2" } })["overrides"])
    end

    private

    def settings(version: nil, yaml: {}, package: {}, npm: {}, env: {})
      JS::Pnpm::Settings.new(yaml, package, version, Configured.new(npm, env), env)
    end

    def layout(settings) = [settings.hoist_pattern, settings.public_hoist_pattern, settings["modulesDir"]]
  end
end
