# frozen_string_literal: true

require "test_helper"
require "json"

module Spate
  # Puts values of wrong types into each field of the files that users and tools write. Spate must make a plan, or raise
  # an error that describes the problem.
  class JSKindsTest < Minitest::Test
    ODD = [nil, true, 7, "", "x", "a\0b", "**", [], [[1]], {}, { "a" => 1 }, { "" => nil }].freeze
    INTEGRITY = "sha512-#{["x" * 64].pack("m0")}".freeze
    MANIFEST = {
      "name" => "app", "version" => "1.0.0", "dependencies" => { "a" => "^1.0.0", "w" => "*" },
      "devDependencies" => { "d" => "1.0.0" }, "optionalDependencies" => { "o" => "1" },
      "peerDependencies" => { "p" => "1" }, "peerDependenciesMeta" => { "p" => { "optional" => true } },
      "workspaces" => ["packages/*"], "overrides" => { "b" => { "." => "1.0.0" } }, "allowScripts" => { "a" => true },
      "bundleDependencies" => ["a"], "bin" => { "x" => "y" }, "scripts" => { "install" => "true" },
      "packageManager" => "npm@10.0.0", "devEngines" => { "packageManager" => { "name" => "npm", "version" => "10" } },
      "engines" => { "node" => ">1" }, "pnpm" => { "onlyBuiltDependencies" => ["a"], "overrides" => {} },
      "resolutions" => {}, "publishConfig" => { "directory" => "x" }, "installConfig" => { "pnp" => true },
      "dependenciesMeta" => { "a" => { "injected" => true } }
    }.freeze
    NPM = {
      "lockfileVersion" => 3, "packages" => {
        "" => MANIFEST,
        "node_modules/a" => { "version" => "1.0.0", "resolved" => "https://npm.test/a.tgz", "integrity" => INTEGRITY,
                              "bin" => { "a" => "a.js" }, "dependencies" => { "b" => "1" },
                              "engines" => { "node" => ">=1" }, "os" => ["linux"], "cpu" => ["x64"],
                              "libc" => ["glibc"], "funding" => [{ "url" => "x" }], "license" => "MIT",
                              "bundleDependencies" => ["c"], "hasShrinkwrap" => true, "hasInstallScript" => true,
                              "peerDependencies" => { "q" => "1" },
                              "peerDependenciesMeta" => { "q" => { "optional" => true } } },
        "node_modules/a/node_modules/c" => { "version" => "1.0.0", "inBundle" => true },
        "node_modules/b" => { "version" => "1.0.0", "integrity" => INTEGRITY, "name" => "bb", "optional" => true },
        "node_modules/d" => { "version" => "1.0.0", "dev" => true, "integrity" => INTEGRITY },
        "node_modules/o" => { "version" => "1.0.0", "optional" => true, "os" => ["none"], "integrity" => INTEGRITY },
        "node_modules/w" => { "resolved" => "packages/w", "link" => true },
        "packages/w" => { "name" => "w", "version" => "1.0.0", "bin" => "x" }
      }
    }.freeze
    ROOT = { "dependencies" => { "a" => { "specifier" => "^1.0.0", "version" => "1.0.0(p@1.0.0)" },
                                 "w" => { "specifier" => "*", "version" => "link:packages/w" } },
             "dependenciesMeta" => {} }.freeze
    PNPM = {
      "lockfileVersion" => "9.0", "settings" => { "autoInstallPeers" => true, "excludeLinksFromLockfile" => false },
      "catalogs" => { "default" => { "c" => { "specifier" => "1", "version" => "1.0.0" } } },
      "overrides" => { "z" => "1" }, "ignoredOptionalDependencies" => ["x"],
      "importers" => { "." => ROOT, "packages/w" => {} },
      "packages" => {
        "a@1.0.0" => { "resolution" => { "integrity" => INTEGRITY }, "engines" => { "node" => ">=1" },
                       "hasBin" => true, "os" => ["linux"], "peerDependencies" => { "p" => "1" },
                       "peerDependenciesMeta" => { "p" => { "optional" => true } }, "bundledDependencies" => ["z"] },
        "p@1.0.0" => { "resolution" => { "integrity" => INTEGRITY, "tarball" => "x" }, "cpu" => ["x64"] }
      },
      "snapshots" => { "a@1.0.0(p@1.0.0)" => { "dependencies" => { "p" => "1.0.0" },
                                               "transitivePeerDependencies" => ["x"] },
                       "p@1.0.0" => { "optional" => true } }
    }.freeze
    WORKSPACE = {
      "packages" => ["packages/*"], "catalog" => { "c" => "1" }, "catalogs" => { "x" => { "z" => "1" } },
      "allowBuilds" => { "a" => true }, "onlyBuiltDependencies" => ["a"], "overrides" => { "z" => "catalog:x" },
      "hoistPattern" => ["*"], "publicHoistPattern" => ["*x*"],
      "supportedArchitectures" => { "os" => ["linux"] }, "storeDir" => "x", "nodeVersion" => "20.0.0",
      "packageExtensions" => {}, "virtualStoreDirMaxLength" => 60,
      "ignoredOptionalDependencies" => ["x"], "modulesDir" => "node_modules"
    }.freeze

    def setup
      @root = File.realpath(Dir.mktmpdir("js-kinds-"))
      @env = { "PATH" => "", "HOME" => @root }
      FileUtils.mkdir_p("#{@root}/packages/w")
      File.write("#{@root}/.npmrc", "registry=https://npm.test/\n")
      write("packages/w/package.json", { "name" => "w", "version" => "1.0.0" })
    end

    def teardown = FileUtils.rm_rf(@root)

    LEAN = MANIFEST.merge(
      "packageManager" => "pnpm@10.20.0", "devDependencies" => {}, "optionalDependencies" => {},
      "peerDependencies" => {}, "peerDependenciesMeta" => {}, "dependenciesMeta" => {}, "publishConfig" => {},
      "devEngines" => {}
    ).freeze
    FILES = { "npm" => [["package.json", MANIFEST], ["package-lock.json", NPM]],
              "pnpm" => [["package.json", LEAN], ["pnpm-lock.yaml", PNPM], ["pnpm-workspace.yaml", WORKSPACE]] }.freeze

    FILES.each do |tool, files|
      define_method(:"test_nothing_odd_with_#{tool}") do
        files.each { |file, whole| write(file, whole) }

        assert attempt
      end

      files.each do |name, data|
        define_method(:"test_#{name}_of_#{tool}") do
          files.each { |file, whole| write(file, whole) }
          places(data).product(ODD) do |place, odd|
            write(name, changed(data, place, odd))
            attempt
          rescue StandardError => e
            flunk "#{place.join(".")}: #{odd.inspect}: #{e.full_message(highlight: false).lines.first(4).join}"
          end
        end
      end
    end

    NPMRC = %w[omit include os cpu libc workspace workspaces only also optional dev force bin-links engine-strict
               install-strategy legacy-peer-deps script-shell node-options allow-scripts umask prefix cache].freeze

    def test_npm_settings
      FILES["npm"].each { |file, whole| write(file, whole) }
      NPMRC.product(["", "null", "true", "-1", "1e400", "[", "{}", "${X", "a\0b", "**"],
                    ["", "[]"]) do |key, value, list|
        File.write("#{@root}/.npmrc", "registry=https://npm.test/\n#{key}#{list}=#{value}\n")
        attempt
      rescue StandardError => e
        flunk "#{key}#{list}=#{value}: #{e.full_message(highlight: false).lines.first(4).join}"
      end
    end

    private

    # Also used for YAML, because JSON is valid YAML.
    def write(name, data) = File.write("#{@root}/#{name}", JSON.generate(data))

    # Makes a plan, and all that is derived from it. Returns nil after a Spate::Error.
    def attempt
      project = JS::Project.find(@root, @env)
      tool(project)
      configuration = JS::Configuration.of(project, @env)
      plan = JS.const_get(project.tool.capitalize).plan(project, configuration, JS::Options.new(ignore_scripts: true))
      scripts(plan, configuration)
      plan.state.files(JS::Outcome.new(store_root: "/x", root: @root))
      plan.bins.each { |folder| folder.style.entries(folder, {}) }
    rescue Spate::Error => e
      assert_operator e.message.bytesize, :<, 1000
      nil
    end

    def tool(project)
      JS::Tools.of(project, @env).then { |tool| [tool.silent?, tool.states, tool.own_script] }
    rescue JS::ToolMissing
      nil
    end

    def scripts(plan, configuration)
      policy = JS::Scripts::Policy.of(plan, configuration)
      policy.ignored
      plan.trees.each { |tree| policy.decide(tree) }
    end

    # Returns the paths of all values in the data, as lists of keys and indexes.
    def places(data, at = [])
      pairs = data.is_a?(Array) ? data.each_with_index.map { |value, index| [index, value] } : data.to_a
      pairs.flat_map do |key, value|
        [at + [key]] + (value.is_a?(Enumerable) ? places(value, at + [key]) : [])
      end
    end

    def changed(data, (key, *rest), odd)
      data.dup.tap { |copy| copy[key] = rest.empty? ? odd : changed(data[key], rest, odd) }
    end
  end
end
