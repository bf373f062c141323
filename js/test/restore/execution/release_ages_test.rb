# frozen_string_literal: true

require_relative "../../pnpm/pnpm_case"
require "open3"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # Spate rejects versions that were published too recently (pnpm's minimumReleaseAge), as pnpm does.
  class ReleaseAgesTest < PnpmCase
    NOW = Time.now.utc
    OLD = (NOW - (3 * 86_400)).strftime("%FT%T.000Z")
    NEW = (NOW - 3600).strftime("%FT%T.000Z")

    def setup
      super
      skip "no pnpm" unless NpmTools.path("pnpm")

      @base = File.realpath(Dir.mktmpdir("spate-ages"))
      @registry = NpmRegistry.start
      @env = NpmRegistry.env(@registry, home: @base).merge("PATH" => ENV.fetch("PATH"),
                                                           "SPATE_HOME" => "#{@base}/spate")
      %w[a @s/b].each { |name| %w[1.0.0 1.1.0].each { |version| @registry.add(name, version) } }
      write("package.json", "name" => "app", "dependencies" => { "a" => "1.0.0", "@s/b" => "1.0.0" })
      run_pnpm("install", "--lockfile-only") => { status: true }
    end

    def teardown
      @registry&.stop
      FileUtils.rm_rf(@base) if @base
      super
    end

    def test_default_minimum_age_is_one_day
      @registry.date("@s/b", "1.0.0", NEW)
      error = assert_refused("")

      expected = /\A@s.b@1.0.0: published #{NEW[0, 16]}:\d\dZ; expected a version published before \S+ \(.*: 1440/

      assert_match(expected, error.message)
      assert_equal "wait, or allow it in pnpm-workspace.yaml: minimumReleaseAgeExclude: [\"@s/b@1.0.0\"]", error.hint
      assert_equal 3, error.exit_code
      @registry.date("@s/b", "1.0.0", OLD)
      assert_taken("")
    end

    # A package that changed recently may have old versions.
    def test_settings
      @registry.date("a", "1.1.0", NEW)
      assert_taken("")
      @registry.date("a", "1.0.0", NEW)
      ["minimumReleaseAgeExclude: [a]", "minimumReleaseAgeExclude: ['a@1.1.0 || 1.0.0']", "minimumReleaseAge: 0",
       "minimumReleaseAgeExclude: ['*']", "minimumReleaseAge: 30",
       "trustLockfile: true"].each { |line| assert_taken(line) }
      ["minimumReleaseAgeExclude: [b]", "minimumReleaseAgeExclude: ['a@1.1.0']", "minimumReleaseAge: 90",
       "minimumReleaseAgeStrict: false", "minimumReleaseAge: soon",
       "minimumReleaseAgeExclude: ['a@^1']"].each { |line| assert_refused(line) }
    end

    def test_environment_and_global_file
      @registry.date("a", "1.0.0", NEW)
      assert_taken("", "pnpm_config_minimum_release_age" => "0")
      assert_taken("", "PNPM_CONFIG_MINIMUM_RELEASE_AGE" => "5")
      FileUtils.mkdir_p("#{@base}/config/pnpm")
      File.write("#{@base}/config/pnpm/config.yaml", "minimumReleaseAge: 0\n")
      assert_taken("")
      assert_refused("minimumReleaseAge: 90")
      File.write("#{@base}/config/pnpm/config.yaml", "minimumReleaseAge: 99999999\n")
      assert_refused("")
      assert_taken("minimumReleaseAge: 30")
    end

    def test_dates_that_are_missing
      %w[a @s/b].each { |name| @registry.date(name, "1.0.0", nil) }
      @registry.date("a", "1.1.0", NEW)
      @registry.date("@s/b", "1.1.0", NEW)
      assert_taken("")
      assert_refused("minimumReleaseAgeIgnoreMissingTime: false")
    end

    # Known dates are not requested again. node_modules is unchanged if the restore is rejected.
    def test_known_dates_are_not_requested_again
      @registry.date("a", "1.1.0", NEW)
      restore
      documents = @registry.requests.map(&:path).grep_v(%r{/-/}).last(3)

      assert_equal %w[/@s%2Fb /a /a], documents.sort
      count = @registry.requests.size
      restore(JS::Options.new(restore: :all))

      assert_equal count, @registry.requests.size
      @registry.date("a", "1.0.0", NEW)
      write("pnpm-workspace.yaml", "minimumReleaseAge: 99999999\n")
      before = Dir.glob("#{@root}/node_modules/**/*")
      assert_raises(JS::Restore::ReleaseAgeError) { restore }

      assert_equal before, Dir.glob("#{@root}/node_modules/**/*")
      assert_raises(JS::Restore::NotLocalError) { restore(JS::Options.new(local: true)) }
    end

    # One file has the result for all packages of the lockfile, so the dates of packages are not read again.
    def test_a_checked_list_is_not_checked_again
      restore
      [*Dir.glob("#{@base}/spate/store/v1/js-dates/*")].each { |path| File.write(path, "damaged") }
      FileUtils.rm_rf("#{@root}/node_modules")
      restore(JS::Options.new(local: true))
      write("pnpm-workspace.yaml", "minimumReleaseAge: 2880\n")
      assert_raises(JS::Restore::NotLocalError) { restore(JS::Options.new(local: true, restore: :all)) }
    end

    # Some registries ignore the Accept header and return the full document.
    def test_a_registry_without_short_documents
      @registry.stop
      @registry = NpmRegistry.start(short: false)
      @registry.add("a", "1.0.0")
      @registry.add("a", "1.1.0")
      @registry.date("a", "1.1.0", NEW)
      @env = @env.merge(NpmRegistry.env(@registry, home: @base))
      write("package.json", "name" => "app", "dependencies" => { "a" => "1.0.0" })
      FileUtils.rm_rf("#{@root}/pnpm-lock.yaml")
      run_pnpm("install", "--lockfile-only")
      before = @registry.requests.size
      restore

      assert_equal %w[/a], @registry.requests.drop(before).map(&:path).grep_v(%r{/-/})
    end

    private

    def assert_refused(yaml, more = {})
      write("pnpm-workspace.yaml", yaml)
      fresh
      run_pnpm("install", "--frozen-lockfile", env: more) => { status:, output: }
      refute status, "#{yaml} #{more} #{output}"
      fresh
      error = assert_raises(Error, yaml) { restore(env: more) }
      refute_path_exists "#{@root}/node_modules/a", yaml
      error
    end

    def assert_taken(yaml, more = {})
      write("pnpm-workspace.yaml", yaml)
      fresh
      run_pnpm("install", "--frozen-lockfile", env: more) => { status:, output: }
      assert status, "#{yaml} #{more} #{output}"
      fresh
      restore(env: more)

      assert_path_exists "#{@root}/node_modules/a", yaml
    end

    def fresh = FileUtils.rm_rf(%w[spate cache state data].map { |name| "#{@base}/#{name}" } << "#{@root}/node_modules")

    def restore(options = JS::Options.new, env: {})
      env = @env.merge(env)
      JS.restore(root: @root, store: Store.open(env: env), env: env, options: options)
    end

    def run_pnpm(*arguments, env: {})
      output, status = Open3.capture2e(@env.merge(env), "pnpm", *arguments, chdir: @root, unsetenv_others: true)
      { status: status.success?, output: output }
    end
  end
end
