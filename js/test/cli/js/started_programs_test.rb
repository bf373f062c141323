# frozen_string_literal: true

require "test_helper"
require "bundler"
require "json"
require "open3"
require "rbconfig"
require "support/npm_registry"

# Counts the programs that each command starts in a JavaScript project. npm and similar tools take half a second of CPU
# time each, so a command must start none of them twice, and none whose output is cached in the store.
class StartedProgramsTest < Minitest::Test
  EXE = File.expand_path("../../../../exe/spate", __dir__)
  # More packages than simultaneous connections.
  PACKAGES = Array.new(40) { |number| "p#{number}" }.freeze
  FIRST = %w[js].freeze
  # Commands to run after a restore. None of them restores again.
  OTHERS = [%w[js], %w[js check], %w[js scripts], %w[check], %w[doctor], %w[install --js], %w[list], %w[store status],
            %w[boot status], %w[exec df /]].freeze

  def setup
    @registry = NpmRegistry.start
    PACKAGES.each { |name| @registry.add(name, "1.0.0", files: { "index.js" => name }) }
    @bin = File.dirname(write("bin/none", ""))
    program("npm", "[ \"$*\" = 'config get registry' ] && echo #{@registry.url}")
    program("node", "echo v20.1.0")
    program("pnpm", "[ \"$*\" = 'config get registry' ] && echo #{@registry.url}")
    program("yarn")
    program("corepack")
    tools = %w[sh ruby gcc git df getconf cp ldd mkdir].filter_map { |name| which(name) }
    (tools + [RbConfig.ruby]).each { |path| link(path) }
  end

  def teardown
    @registry.stop
    super
  end

  def which(name) = ENV.fetch("PATH").split(":").map { |at| "#{at}/#{name}" }.find { |path| File.executable?(path) }

  def link(path)
    place = "#{@bin}/#{File.basename(path)}"
    File.symlink(path, place) unless File.exist?(place)
  end

  # Creates a program that logs its arguments and then runs `body`.
  def program(name, body = "")
    path = write("bin/#{name}", "#!/bin/sh\necho \"#{name} $*\" >> #{folder}/calls\n#{body}\n")
    File.chmod(0o755, path)
  end

  def app(*parts) = File.join(folder, "app", *parts)

  def resolved(path) = @registry.resolved(path.delete_prefix("node_modules/"), "1.0.0")

  # Creates a project of one tool. npmrc: whether .npmrc sets the registry.
  def project(tool, npmrc:)
    dependencies = PACKAGES.to_h { |name| [name, "1.0.0"] }
    write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: dependencies))
    tool == "npm" ? npm(dependencies) : pnpm
    write("app/Gemfile", "")
    write("app/Gemfile.lock", "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n\n" \
                              "BUNDLED WITH\n   #{Bundler::VERSION}\n")
    write("app/.npmrc", "registry=#{@registry.url}\n") if npmrc
  end

  # The lockfile that npm writes with omit-lockfile-registry-resolved.
  def npm(dependencies)
    packages = PACKAGES.to_h do |name|
      ["node_modules/#{name}", { version: "1.0.0", integrity: @registry.integrity(name, "1.0.0"),
                                 engines: { node: ">=1" } }]
    end
    root = { name: "app", version: "1.0.0", dependencies: dependencies }
    write("app/package-lock.json", JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3, requires: true,
                                                 packages: { "" => root, **packages }))
  end

  def pnpm
    importer = PACKAGES.to_h { |name| [name, { specifier: "1.0.0", version: "1.0.0" }] }
    packages = PACKAGES.to_h do |name|
      ["#{name}@1.0.0", { resolution: { integrity: @registry.integrity(name, "1.0.0") } }]
    end
    write("app/pnpm-lock.yaml", JSON.generate(lockfileVersion: "9.0", importers: { "." => { dependencies: importer } },
                                              packages: packages, snapshots: packages.transform_values { {} }))
  end

  # Runs a command, which must succeed. Returns the programs that it started, with their arguments.
  def started(*words)
    FileUtils.rm_f("#{folder}/calls")
    env = { "HOME" => "#{folder}/home", "PATH" => @bin, "SPATE_HOME" => "#{folder}/spate", "NO_PROXY" => "localhost",
            "SPATE_NO_OWN_CODE" => "1" }
    said, status = Open3.capture2e(env, RbConfig.ruby, "--disable-gems", EXE, *words, chdir: app, unsetenv_others: true)
    assert_predicate status, :success?, "#{words.join(" ")}: #{said}"
    File.exist?("#{folder}/calls") ? File.readlines("#{folder}/calls", chomp: true) : []
  end

  def others(expected = {}, commands: OTHERS)
    found = commands.to_h { |words| [words.join(" "), started(*words)] }.reject { |_, calls| calls.empty? }

    assert_equal expected, found
  end

  # Deletes node_modules, and what the store has of the packages, and restores again. Returns the started programs.
  def again
    kinds = "js,js-images,packages,archives,plans"
    FileUtils.rm_rf([app("node_modules"), *Dir["#{folder}/spate/store/v1/{#{kinds}}"]])
    asked = @registry.requests.size
    started(*FIRST).tap { assert_operator @registry.requests.size, :>=, asked + PACKAGES.size }
  end

  def test_of_npm_without_an_npmrc
    project("npm", npmrc: false)

    assert_equal ["npm config get registry"], started(*FIRST)
    others
    assert_empty again
  end

  def test_of_npm_with_an_npmrc
    project("npm", npmrc: true)

    assert_empty started(*FIRST)
    others
  end

  # Addresses of npm's default registry in the lockfile are replaced, so Spate must ask npm for that registry, once.
  def test_of_npm_with_addresses_in_the_lockfile
    project("npm", npmrc: true)
    lockfile = JSON.parse(File.read(app("package-lock.json")))
    lockfile["packages"].each { |path, entry| entry["resolved"] = resolved(path) unless path.empty? }
    File.write(app("package-lock.json"), JSON.generate(lockfile))

    assert_equal ["npm config get registry"], started(*FIRST)
    others
    assert_empty again
  end

  def test_of_packages_that_require_a_node_version
    project("npm", npmrc: true)
    File.write(app(".npmrc"), "engine-strict=true\n", mode: "a")
    write("app/check.js", "")
    package = JSON.parse(File.read(app("package.json")))
    File.write(app("package.json"), JSON.generate(package.merge("scripts" => { "install" => "node check.js" })))
    node = "node --version"

    assert_equal [node, "node check.js"], started(*FIRST)
    others({ "js" => [node, "node check.js"], "js check" => [node], "js scripts" => [node],
             "doctor" => [node], "install --js" => [node, "node check.js"] })
  end

  def test_of_a_project_that_its_tool_restores
    project("npm", npmrc: false)
    FileUtils.rm(app("package-lock.json"))
    write("app/yarn.lock", "# yarn lockfile v1\n")
    program("yarn", "[ \"$1\" = install ] && mkdir -p node_modules && echo {} > node_modules/.yarn-integrity")
    install = "yarn install --frozen-lockfile --non-interactive --check-files --ignore-scripts"

    assert_equal [install], started(*FIRST)
    others(commands: OTHERS - [%w[js scripts]])
  end

  def test_of_pnpm_without_an_npmrc
    project("pnpm", npmrc: false)

    assert_equal ["npm config get registry"], started(*FIRST)
    others
    assert_empty again
  end

  def test_of_pnpm_with_an_npmrc
    project("pnpm", npmrc: true)

    assert_empty started(*FIRST)
    others
  end
end
