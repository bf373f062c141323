# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # `spate js check` accepts the absence of packages that a restore omitted or that are optional. The tools lock the
  # project; Spate restores and checks it.
  class JSRestoreLeftOutTest < Minitest::Test
    LOCK = { "npm" => %w[npm install --package-lock-only], "pnpm" => %w[pnpm install --lockfile-only] }.freeze

    def setup
      @registry = NpmRegistry.start
      @registry.add("prod", "1.0.0", bin: { "prod" => "x.js" }, files: { "x.js" => "#!/usr/bin/env node\n" })
      @registry.add("tool", "1.0.0", bin: { "tool" => "x.js" }, files: { "x.js" => "#!/usr/bin/env node\n" },
                                     dependencies: { "part" => "1.0.0" })
      @registry.add("part", "1.0.0", bin: { "part" => "x.js" }, files: { "x.js" => "#!/usr/bin/env node\n" })
      @registry.add("elsewhere", "1.0.0", os: ["aix"], dependencies: { "part" => "1.0.0" })
      @env = NpmRegistry.env(@registry, home: File.join(folder, "userhome")).merge("PATH" => ENV.fetch("PATH"))
    end

    def teardown
      @registry.stop
      super
    end

    def root = File.join(folder, "app")
    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})

    def lock(tool, **dependencies)
      skip "no #{tool}" unless NpmTools.runs?(tool)
      write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: { "prod" => "1.0.0" },
                                              **dependencies))
      output, status = Open3.capture2e(@env, *LOCK.fetch(tool), chdir: root, unsetenv_others: true)
      assert_predicate status, :success?, output
    end

    def restore(**options)
      JS.restore(root: root, env: @env, store: store, events: Events.new, options: JS::Options.new(**options))
    end

    # Returns [differences, number of packages].
    def check(**options)
      result = JS.check(root: root, env: @env, store: store, options: JS::Options.new(**options))
      [result.differences.map(&:to_s), result.total]
    end

    LOCK.each_key do |tool|
      define_method("test_#{tool}_what_was_omitted_is_no_difference") do
        lock(tool, devDependencies: { "tool" => "1.0.0" })
        restore(omit: %w[dev])

        assert_equal [[], 1], check
        refute_empty check(omit: %w[optional]).first, "who says what is omitted is answered that"
        FileUtils.rm_rf("#{root}/node_modules/prod")

        refute_empty check.first
        restore

        assert_equal [[], 3], check
        refute_empty check(omit: %w[dev]).first
      end

      define_method("test_#{tool}_an_optional_package_that_nobody_has_is_no_difference") do
        lock(tool, optionalDependencies: { "tool" => "1.0.0" })
        @registry.fault(%r{/-/tool}, :status, code: 404)

        assert_equal 1, restore.skipped.size
        assert_empty check.first
      end

      define_method("test_#{tool}_an_optional_package_that_does_not_fit_is_no_difference") do
        lock(tool, optionalDependencies: { "elsewhere" => "1.0.0" })
        restore

        assert_equal [[], 1], check
        assert_predicate restore, :noop?
      end
    end

    def test_check_ignores_options_of_the_last_run_after_another_tool
      lock("npm", devDependencies: { "tool" => "1.0.0" })
      restore(omit: %w[dev])
      output, status = Open3.capture2e(@env, "npm", "ci", chdir: root, unsetenv_others: true)
      assert_predicate status, :success?, output

      assert_empty check.first
    end

    def test_a_global_virtual_store_for_one_run
      lock("pnpm")
      restore(global_virtual_store: true)

      assert_equal [[], 1], check
    end
  end
end
