# frozen_string_literal: true

require_relative "case"
require_relative "planned"
require "open3"
require "support/node_modules_comparison"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # A project with packages in a local registry, locked by the real npm. Spate's plan must match the result of `npm ci`.
  class NpmCiCase < NpmCase
    # Without this setting npm 12 treats archives as remote when it looks for their bundled packages.
    ALLOWED = { "npm_config_allow_remote" => "all" }.freeze

    def setup
      super
      skip "no npm" unless NpmTools.runs?("npm")

      @registry = NpmRegistry.start
      @home = Dir.mktmpdir("spate-npm-home")
    end

    def teardown
      @registry&.stop
      FileUtils.rm_rf(@home) if @home
      super
    end

    def add(name, version = "1.0.0", **manifest) = @registry.add(name, version, **manifest)

    # Runs npm, which must succeed. arguments: of npm.
    def npm(*arguments, env: {})
      output, status = Open3.capture2e(all_env.merge(env), "npm", *arguments, chdir: @root, unsetenv_others: true)
      assert_predicate status, :success?, "npm #{arguments.join(" ")}: #{output}"
      output
    end

    def all_env = NpmRegistry.env(@registry, home: @home).merge("PATH" => ENV.fetch("PATH"), **ALLOWED)

    # Locks the project with npm. package: the package.json as a Hash.
    def lock(package, *arguments)
      write_json("package.json", package) if package
      npm("install", "--package-lock-only", *arguments)
    end

    # Runs `npm ci` and compares its result with the plan. more: arguments of npm, which must correspond to @settings.
    def assert_as_npm_ci(*more, omit: [], bundled: [])
      Dir.glob("#{@root}/**/node_modules").each { |folder| FileUtils.rm_rf(folder) }
      npm("ci", "--ignore-scripts", *omit.flat_map { |kind| ["--omit", kind] }, *more)
      made = plan(*omit)
      planned = Planned.of(made, @root, bundled: bundled)

      assert_equal Planned.found(@root).sort.to_h, planned.sort.to_h
      assert_npm_state(made)
      assert_restored(omit, more)
      made
    end

    # Asserts that the plan writes the same state file as npm. npm writes none if it installs nothing.
    def assert_npm_state(plan)
      path = "#{@root}/node_modules/.package-lock.json"
      expected = File.read(path) if File.exist?(path)
      state = state_of(plan)
      expected ? assert_equal(expected, state, lockfile) : assert_nil(state, lockfile)
    end

    # Asserts that npm and Spate both succeed. settings: boolean options of npm. Returns the Plan.
    def assert_both_take(*settings)
      npm("ci", "--ignore-scripts", *settings)
      set(settings)
      plan
    end

    # Asserts that npm and Spate both fail. Returns the error.
    def assert_both_refuse(message, *settings)
      output, status = Open3.capture2e(all_env, "npm", "ci", "--ignore-scripts", *settings, chdir: @root,
                                                                                            unsetenv_others: true)
      refute_predicate status, :success?, output
      set(settings)
      assert_raises(Error) { plan }.tap { |error| assert_match message, error.message }
    end

    def set(settings)
      @settings.clear
      settings.each { |setting| @settings[setting.delete_prefix("--")] = true }
    end

    # Changes an entry of the lockfile. values: fields to set; nil deletes the entry.
    def edit(path, values)
      data = JSON.parse(lockfile)
      values ? data["packages"][path].merge!(values) : data["packages"].delete(path)
      write_json("package-lock.json", data)
    end

    # Restores everything with Spate, and compares the result with npm's.
    def assert_restored(omit, more)
      beside = "#{@root}-beside"
      FileUtils.cp_r(@root, beside, preserve: true)
      Dir.glob("#{beside}/**/node_modules").each { |folder| FileUtils.rm_rf(folder) }
      restore(beside, omit, more)

      assert_empty NodeModulesComparison.compare(@root, beside)
    ensure
      FileUtils.rm_rf(beside)
    end

    # settings: boolean options of npm ("--legacy-peer-deps").
    def restore(root, omit, settings, ignore_scripts: true)
      env = NpmRegistry.env(@registry, home: @home).merge("PATH" => ENV.fetch("PATH"))
      settings.each { |setting| env["npm_config_#{setting.delete_prefix("--").tr("-", "_")}"] = "true" }
      store = Store.open(home: "#{@home}/spate", env: {})
      JS::Restore::Run.new(root: root, env: env, store: store, events: Events.new,
                           options: JS::Options.new(omit: omit, ignore_scripts: ignore_scripts)).call
    end

    def state_of(made)
      made.state.files(Happened.new({}, [], @root))["node_modules/.package-lock.json"]
    end

    def lockfile = File.read("#{@root}/package-lock.json")
    def npm_version = npm("--version")[/^\d+\.\d+\.\d+/]
  end
end
