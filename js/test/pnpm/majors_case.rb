# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/node_modules_comparison"
require "support/npm_registry"
require "support/pnpm_majors"

module Spate
  # Compares Spate's result with that of each pnpm major.
  class PnpmMajorsCase < Minitest::Test
    # Expected differences: the text of shims, and pnpm's .tmp.
    OTHERWISE = %r{/\.tmp: |\.bin/[\w-]+: expected executable file \w+, found executable file}

    def setup
      skip "no pnpm" unless NpmTools.path("pnpm")

      @registry = NpmRegistry.start
      @registry.add("one", "1.0.0", files: { "index.js" => "1\n" })
      @registry.add("two", "1.0.0", files: { "index.js" => "2\n" }, dependencies: { "three" => "1.0.0" })
      @registry.add("three", "1.0.0")
    end

    def teardown
      @registry&.stop
      super
    end

    # For each major, in a separate folder: yields the major to create the project, locks it with that pnpm, calls
    # `change`, installs with pnpm, and compares the result with Spate's. after: called with the major after pnpm's
    # install.
    def assert_as_each_pnpm(arguments: [], change: nil, options: {}, after: nil)
      PnpmMajors.each do |major, path|
        at(major, path)
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

    # Separate homes: majors that share a store would reuse packages patched by another major.
    def at(major, path)
      @root = "#{folder}/#{major}"
      @env = NpmRegistry.env(@registry, home: "#{folder}/home-#{major}")
                        .merge("PATH" => path, "SPATE_HOME" => "#{folder}/spate",
                               "pnpm_config_minimum_release_age" => "0")
    end

    def snapshot = NodeModulesComparison.snapshot(@root)
    def read(path) = File.read("#{@root}/#{path}")
    def put(path, text) = write("#{File.basename(@root)}/#{path}", text.is_a?(String) ? text : JSON.generate(text))

    def restore(**options)
      JS.restore(root: @root, store: Store.open(env: @env), env: @env, events: Events.new,
                 options: JS::Options.new(**options))
    end

    # Runs pnpm, which must succeed. Returns its output.
    def pnpm(*arguments)
      output, status = Open3.capture2e(@env, "pnpm", *arguments, chdir: @root, unsetenv_others: true)
      assert_predicate status, :success?, output
      output
    end
  end
end
