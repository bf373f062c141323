# frozen_string_literal: true

require_relative "../../npm/npm_ci_case"

module Spate
  # A project in which each setting that can make `npm ci` fail, do nothing or install something else has an effect.
  class KnownSettingsNpmCase < NpmCiCase
    NPM11 = "11.21.2"
    NPM12 = "12.2.2"
    # Setting => lines of .npmrc. nil: the setting has no effect in this project.
    VIOLATIONS = {
      "allow-directory" => "allow-directory=none", "allow-file" => "allow-file=none",
      "allow-remote" => "allow-remote=none", "dry-run" => "dry-run=true", "engine-strict" => "engine-strict=true",
      "expect-result-count" => "expect-results=true\nexpect-result-count=3", "extension-file" => "extension-file=x.mjs",
      "global" => "global=true", "install-links" => "install-links=true",
      "install-strategy" => "install-strategy=linked", "location" => "location=global", "offline" => "offline=true",
      "package-lock-only" => "package-lock-only=true", "provenance" => "provenance=true\nprovenance-file=x",
      "save-dev" => "save-dev=true\nsave-peer=false", "strict-allow-scripts" => "strict-allow-scripts=true",
      "strict-npmrc" => "strict-npmrc=true\nunused=1", "usage" => "usage", "workspace" => "workspace=w",
      "workspaces" => "workspaces=true", "email" => "email=x", "certfile" => "certfile=x\nkeyfile=y"
    }.freeze

    def setup
      super
      add("a", "1.0.0", scripts: { install: "true" })
      add("b", "1.0.0", engines: { node: ">=99" })
      @other = NpmRegistry.start
      @other.add("r", "1.0.0")
      File.binwrite("#{@root}/v.tgz", NpmRegistry::Package.new("v", "1.0.0").archive)
      write_json("w/package.json", "name" => "w", "version" => "1.0.0", "dependencies" => { "b" => "1" })
      write_json("linked/package.json", "name" => "linked", "version" => "1.0.0")
      lock({ "name" => "app", "workspaces" => ["w"],
             "dependencies" => { "a" => "1", "linked" => "file:linked", "v" => "file:v.tgz",
                                 "r" => @other.resolved("r", "1.0.0") } })
    end

    def teardown
      @other&.stop
      super
    end

    def plan_in(env)
      project = JS::Project.find(@root, env)
      JS::Npm.plan(project, JS::Configuration.of(project, env), nil)
    end

    def with_npm(version)
      path = ENV.fetch("PATH")
      ENV["PATH"] = "#{File.dirname(NpmTools.pinned("npm", version))}:#{path}"
      yield
    rescue RuntimeError => e
      skip e.message.lines.first
    ensure
      ENV["PATH"] = path
    end

    def environment(lines)
      set = lines.lines(chomp: true).to_h do |line|
        key, value = line.split("=", 2)
        ["npm_config_#{key.tr("-", "_")}", value || "true"]
      end
      all_env.merge("SPATE_HOME" => "#{@home}/spate").merge(set)
    end

    # Runs npm and Spate, each without node_modules and caches, and asserts equal results. Returns npm's result: whether
    # it succeeded, and the names in node_modules.
    def assert_same(lines, more = {})
      File.write("#{@root}/.npmrc", lines)
      env = environment("").merge(more)
      expected = from_the_same_state { npm_ci(env) }

      assert_equal expected, from_the_same_state { spate(env) }, "#{lines} #{more}"
      expected
    end

    def from_the_same_state
      FileUtils.rm_rf(["#{@root}/node_modules", "#{@home}/cache"])
      FileUtils.mkdir_p("#{@root}/node_modules/old")
      succeeded = yield
      names = Dir.children("#{@root}/node_modules").sort
      [succeeded, succeeded ? names : names.include?("a")]
    end

    def npm_ci(env)
      Open3.capture2e(env, "npm", "ci", "--no-audit", "--no-fund", chdir: @root, unsetenv_others: true).last.success?
    end

    def spate(env)
      JS.restore(root: @root, store: Store.open(env: env), env: env)
      true
    rescue Error
      false
    end
  end
end
