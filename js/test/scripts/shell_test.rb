# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_registry"
require "support/pnpm_majors"

module Spate
  # npm's setting script-shell has the same effect as in npm 11 and 12: a missing shell is an error only if a script
  # runs.
  class JSScriptShellTest < Minitest::Test
    MISSING = "/no/such/shell"

    def setup
      skip "no npm" unless NpmTools.path("npm")

      @registry = NpmRegistry.start
      @registry.add("one", "1.0.0")
      @registry.add("scripted", "1.0.0", scripts: { install: "echo > made" })
    end

    def teardown
      @registry&.stop
      super
    end

    def test_npm11 = assert_shells("11")
    def test_npm12 = assert_shells("12")

    private

    def assert_shells(version)
      @env = NpmRegistry.env(@registry, home: "#{folder}/home")
                        .merge("PATH" => "#{File.dirname(NpmTools.pinned("npm", version))}:#{ENV.fetch("PATH")}",
                               "SPATE_HOME" => "#{folder}/spate")
      own = { scripts: { postinstall: "echo > made" } }
      assert_same(MISSING, {}, fails: false)
      assert_same(MISSING, own, fails: true)
      assert_same("", own, fails: false)
      assert_same(MISSING, { dependencies: { scripted: "1.0.0" }, allowScripts: { scripted: true } }, fails: true)
      assert_same(MISSING, { optionalDependencies: { scripted: "1.0.0" }, allowScripts: { scripted: true } },
                  fails: false)
    end

    def assert_same(shell, package, fails:)
      project = write("app/package.json", JSON.generate({ name: "app", dependencies: { one: "1.0.0" } }.merge(package)))
                .then { "#{folder}/app" }
      write("app/.npmrc", "")
      assert npm(project, "install", "--package-lock-only", "--ignore-scripts").last.success?
      write("app/.npmrc", "script-shell=#{shell}\n")
      output, status = npm(project, "ci")
      assert_equal fails, !status.success?, "#{package} #{output}"
      FileUtils.rm_rf("#{project}/node_modules")
      return restore(project) unless fails

      error = assert_raises(JS::ScriptFailed) { restore(project) }
      assert_includes [error.message, *error.details].join, shell
    end

    def npm(project, *words) = Open3.capture2e(@env, "npm", *words, chdir: project, unsetenv_others: true)
    def restore(project) = JS.restore(root: project, store: Store.open(env: @env), env: @env)
  end
end
