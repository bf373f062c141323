# frozen_string_literal: true

require_relative "../../pnpm/pnpm_case"
require "open3"
require "support/npm_registry"
require "support/npm_tools"
require "support/pnpm_majors"

module Spate
  # Settings that can make `pnpm install --frozen-lockfile` fail, do nothing or install something else are followed or
  # left to pnpm.
  class KnownSettingsPnpmTest < PnpmCase
    KNOWN = JS::Tools::KnownSettings::Pnpm
    # Settings with which the newest pnpm rejects a project with one package, and the lines that cause it.
    REFUSED = {
      "globalPnpmfile" => "globalPnpmfile: x.cjs", "packageImportMethod" => "packageImportMethod: clone",
      "trustPolicy" => "trustPolicy: unknown", "nodeLinker" => "nodeLinker: unknown",
      "maxTarballUnpackedSize" => "maxTarballUnpackedSize: 10", "strictDepBuilds" => "strictDepBuilds: true",
      "minimumReleaseAge" => "minimumReleaseAge: soon"
    }.freeze
    # Values in YAML. For each setting, at least one has the wrong type.
    ODD = ["odd", "-7", "[odd]", "{odd: [odd]}", "''"].freeze
    TYPED = [
      "trustLockfile: true", "minimumReleaseAge: 30", "minimumReleaseAgeExclude: [a]", "bail: false",
      "childConcurrency: -1", "linkWorkspacePackages: deep", "nodeVersion: 22", "savePrefix: ''", "reporter: silent",
      "resolutionMode: highest", "allowBuilds: {a: true, b: set this to true or false}", "catalog: {a: ^1}",
      "catalogs: {x: {a: ^1}}", "updateConfig: {ignoreDependencies: [a]}", "auditConfig: {ignoreGhsas: [a]}",
      "peerDependencyRules: {ignoreMissing: [a], allowedVersions: {a: 7}}", "hoist: null",
      "supportedArchitectures: {os: [current], cpu: [x64]}", "color: always", "verifyDepsBeforeRun: install"
    ].freeze
    MISTYPED = [
      "trustLockfile: 0", "trustLockfile: ''", "trustLockfile: no", "minimumReleaseAge: -5", "minimumReleaseAge: .5",
      "minimumReleaseAge: 007", "minimumReleaseAgeExclude: a", "minimumReleaseAgeExclude: [[a]]", "bail: 5",
      "hoistPattern: [null]", "storeDir: [a]", "reporter: 5", "catalog: {a: null}", "catalogs: {a: null}",
      "allowBuilds: {a: 7}", "allowBuilds: {a: null}", "updateConfig: {ignoreDependencies: a}",
      "peerDependencyRules: {allowedVersions: {a: [x]}}", "supportedArchitectures: {os: linux}",
      "packageExtensions: {a: {peerDependenciesMeta: {b: {optional: x}}}}"
    ].freeze
    DEMANDS = [
      { "engines" => { "pnpm" => ">=99" } }, { "engines" => { "pnpm" => ">=1" } },
      { "devEngines" => { "runtime" => { "name" => "node", "version" => ">=99", "onFail" => "error" } } },
      { "devEngines" => { "runtime" => { "name" => "node", "version" => ">=99", "onFail" => "warn" } } },
      { "devEngines" => { "packageManager" => { "name" => "npm", "version" => ">=99", "onFail" => "error" } } },
      { "devEngines" => { "packageManager" => { "name" => "pnpm", "version" => ">=99", "onFail" => "error" } } }
    ].freeze

    def test_every_setting_of_the_table_is_left_to_pnpm
      project({})
      KNOWN::LEFT.each do |name, values|
        assert_left(name, "#{name}: [odd]")
        values.each { |value| assert_nil left("#{name}: #{JSON.generate(value)}"), "#{name}: #{value}" }
        next if KNOWN::GLOBAL.include?(name)

        assert_left(name, "", "pnpm_config_#{dashed(name)}" => "odd")
        assert_left(name, "", "PNPM_CONFIG_#{dashed(name).upcase}" => "[\"odd\"]")
      end
    end

    def test_unknown_names
      project({})
      assert_left("refuseAll", "refuseAll: true")
      assert_left("refuseAll", "", "pnpm_config_refuse_all" => "true")
      assert_left("registry", "registry: http://localhost/")
      assert_nil left("refuse-all: true\n$schema: x")
      assert_nil left("", "npm_config_refuse_all" => "true", "pnpm_config_registry" => "http://localhost/")
    end

    def test_the_global_file
      project({})
      FileUtils.mkdir_p("#{@root}/.config/pnpm")
      { "trustPolicy: no-downgrade" => "trustPolicy", "refuseAll: true" => "refuseAll", "nodeLinker: pnp" => nil,
        "dryRun: true" => "dryRun" }.each do |line, name|
        File.write("#{@root}/.config/pnpm/config.yaml", line)
        name ? assert_left(name, "") : assert_nil(left(""))
      end
      File.write("#{@root}/.config/pnpm/config.yaml", "trustPolicy: no-downgrade")
      assert_nil left("trustPolicy: off")
    end

    def test_pnpm_ten_has_npms_files_and_package_json
      installed("10.34.9")
      project({}, package: { "pnpm" => { "requiredScripts" => ["build"] } })
      assert_left("requiredScripts", "")
      project({}, package: { "pnpm" => { "neverBuiltDependencies" => ["a"], "onlyBuiltDependencies" => ["b"] } })
      assert_left("neverBuiltDependencies and onlyBuiltDependencies", "")
      project({})
      @configured["dry-run"] = true
      assert_left("dryRun", "")
      @configured.replace("strange" => "1")
      assert_nil left("")
      assert_left("offline", "", "npm_config_offline" => "true")
    end

    def test_documentation_lists_all_settings
      text = File.read(File.expand_path("../../../docs/javascript.md", __dir__), encoding: "UTF-8")
      section = text[/^## Settings that can refuse$(.*?)^## /m, 1]
      npm = JS::Tools::KnownSettings::Npm
      names = KNOWN::LEFT.keys + KNOWN::APPLIED + KNOWN::NETWORK + npm::APPLIED + npm::LEFT.keys + npm::AGES

      assert_empty((names + npm::ADDRESSED + npm::EXCLUSIVE.flatten + npm::NOT_IN_ENVIRONMENT).reject do |name|
        section.match?(/`#{Regexp.escape(name)}(?:`|[=:])/)
      end)
    end

    def test_refused_settings_equal_those_of_pnpm
      real
      REFUSED.each_value { |line| assert_same(line, {}) }
      assert_same("", { "scripts" => { "postinstall" => "true" } })
      DEMANDS.each { |package| assert_same("", package) }
    end

    # Spate leaves settings to pnpm that pnpm 12 rejects with ERR_PNPM_INVALID_SETTING.
    def test_values_of_another_type_beside_pnpm
      real
      pnpm("install", "--frozen-lockfile")
      version = JSON.parse(File.read("#{NpmTools::HOME}/node_modules/pnpm/package.json"))["version"]
      missed = KNOWN::Types::DECLARED.keys.product(ODD).reject do |name, value|
        line = "#{name}: #{value}"
        next true if left_by(version, line)

        write("pnpm-workspace.yaml", line)
        output, = Open3.capture2e(@env, "pnpm", "install", "--frozen-lockfile", chdir: @root, unsetenv_others: true)
        !output.include?("ERR_PNPM_INVALID_SETTING")
      end

      assert_empty missed
    end

    def test_values_of_the_declared_type
      project({})
      TYPED.each { |line| assert_nil left(line), line }
      assert_nil left("", "pnpm_config_ignore_scripts" => "true", "pnpm_config_fetch_retries" => "3",
                          "pnpm_config_minimum_release_age_exclude" => "[\"a\"]")
    end

    # Each value is almost valid for the type of its setting.
    def test_values_of_another_type
      project({})
      MISTYPED.each { |line| assert_left(line[/\w+/], line) }
      assert_left("trustLockfile", "trustLockfile: true", "pnpm_config_trust_lockfile" => "no")
      assert_left("minimumReleaseAge", "", "pnpm_config_minimum_release_age" => "-5")
      FileUtils.mkdir_p("#{@root}/.config/pnpm")
      ["bail: 5", "ignoreScripts: 0", "trustLockfile: ''", "fetchRetries: x"].each do |line|
        File.write("#{@root}/.config/pnpm/config.yaml", line)
        assert_left(line[/\w+/], "")
      end
    end

    # Ruby, JavaScript and YAML differ in which values are true.
    def test_values_of_boolean_settings_in_every_major
      %w[10.34.9 11.26.0 12.21.0].each do |version|
        installed(version)
        project({})
        %w[trustLockfile minimumReleaseAgeIgnoreMissingTime ignorePnpmfile hoist].each do |name|
          ["0", "''", "no", "'false'", "[]"].each { |value| assert_left(name, "#{name}: #{value}") }
          [true, false].each { |value| assert_nil left("#{name}: #{value}"), "#{version} #{name}" }
        end
      end
    end

    def test_the_workspaces_folder_of_a_variable
      %w[10.34.9 11.26.0 12.21.0].each do |version|
        installed(version)
        project({})
        %w[NPM_CONFIG_WORKSPACE_DIR npm_config_workspace_dir].each do |name|
          assert_left("NPM_CONFIG_WORKSPACE_DIR", "", name => "/elsewhere")
          assert_nil left("", name => "")
        end
      end
    end

    def test_the_global_file_beside_pnpm
      real
      @registry.add("strict", "1.0.0", engines: { node: ">=99" })
      write("package.json", "name" => "app", "dependencies" => { "strict" => "1.0.0" })
      pnpm("install", "--lockfile-only")
      FileUtils.mkdir_p("#{@root}/settings/pnpm")
      @env["XDG_CONFIG_HOME"] = "#{@root}/settings"
      ["engineStrict: false", "engineStrict: true", "x: &x true\nengineStrict: *x", "x: 2026-01-01\nengineStrict: true",
       "engineStrict: [", "- engineStrict"].each { |text| assert_global(text) }
    end

    # Up to pnpm 10 the project's own file takes precedence over the environment.
    def test_precedence_of_the_environment_equals_that_of_pnpm
      PnpmMajors.each do |_, path|
        @registry&.stop
        real(path)
        @registry.add("strict", "1.0.0", engines: { node: ">=99" })
        write("package.json", "name" => "app", "dependencies" => { "strict" => "1.0.0" })
        pnpm("install", "--lockfile-only")
        %w[npm pnpm].each { |tool| @env["#{tool}_config_engine_strict"] = "false" }
        assert_same("engineStrict: true", { "dependencies" => { "strict" => "1.0.0" } })
      end
    rescue RuntimeError => e
      skip e.message.lines.first
    end

    private

    def assert_global(text)
      File.write("#{@root}/settings/pnpm/config.yaml", text)
      assert_same("", { "dependencies" => { "strict" => "1.0.0" } })
    end

    def dashed(name) = name.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" }

    def assert_left(name, yaml, env = {})
      found = left(yaml, env)

      assert found&.any? { |reason| reason.start_with?(name) }, "#{yaml} #{env}: #{found.inspect}"
    end

    def left_by(version, line)
      settings = JS::Pnpm::Settings.new(JS::Pnpm::Yaml.mapping(line, ""), {}, version, nil, {})
      KNOWN.new(settings).reasons.any?
    end

    # Returns the reasons to leave the project to pnpm, or nil.
    def left(yaml, env = {})
      write("pnpm-workspace.yaml", yaml)
      configuration = JS::Configuration.load(root: @root, env: @env.merge(env), tool: "pnpm", version: version)
      given = @configured
      configuration.define_singleton_method(:[]) { |key| given.fetch(key) { super(key) } }
      JS::Pnpm.plan(JS::Project.find(@root), configuration, Given.new([], nil))
      nil
    rescue JS::LeftToTool => e
      e.reasons
    end

    def version = JSON.parse(File.read("#{@tools}/package.json"))["version"]

    def real(path = ENV.fetch("PATH"))
      skip "no pnpm" unless NpmTools.path("pnpm")

      @registry = NpmRegistry.start
      @env = NpmRegistry.env(@registry, home: "#{@root}/home").merge("PATH" => path,
                                                                     "SPATE_HOME" => "#{@root}/home/spate")
      @registry.add("a", "1.0.0", scripts: { install: "true" }, files: { "x" => "x" * 1000 })
      write("package.json", "name" => "app", "dependencies" => { "a" => "1.0.0" })
      pnpm("install", "--lockfile-only")
    end

    def teardown
      @registry&.stop
      super
    end

    def assert_same(yaml, package)
      write("package.json", { "name" => "app", "dependencies" => { "a" => "1.0.0" } }.merge(package))
      # By default pnpm, unlike Spate, fails if no list names a package with scripts.
      write("pnpm-workspace.yaml", yaml.include?("strictDepBuilds") ? yaml : "#{yaml}\nstrictDepBuilds: false\n")
      expected = fresh { pnpm("install", "--frozen-lockfile") }

      assert_equal(expected, fresh { spate }, "#{yaml} #{package}")
    end

    def fresh
      FileUtils.rm_rf(["#{@root}/node_modules", "#{@root}/home"])
      yield
    end

    def pnpm(*arguments) = Open3.capture2e(@env, "pnpm", *arguments, chdir: @root, unsetenv_others: true).last.success?

    def spate
      JS.restore(root: @root, store: Store.open(env: @env), env: @env)
      true
    rescue Error
      false
    end
  end
end
