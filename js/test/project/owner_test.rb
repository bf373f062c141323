# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_registry"
require "support/pnpm_majors"

module Spate
  # A project with a lockfile is below a workspace. Spate restores the same folder as npm and pnpm: the workspace or the
  # project.
  class JSProjectOwnerTest < Minitest::Test
    def setup
      skip "no npm" unless NpmTools.path("npm")

      @registry = NpmRegistry.start
      @registry.add("one", "1.0.0")
      @folder = File.realpath(folder)
      @number = 0
    end

    def teardown
      @registry&.stop
      super
    end

    def test_npm
      %w[11 12].each do |version|
        @path = "#{File.dirname(NpmTools.pinned("npm", version))}:#{ENV.fetch("PATH")}"
        project("npm") do
          { {} => "inner", { workspaces: ["apps/*"] } => "root", { workspaces: ["apps/**"] } => "root",
            { workspaces: ["apps/*", "!apps/inner"] } => "inner", { workspaces: ["libs/*"] } => "inner" }
            .each { |fields, place| assert_place(place) { manifest(fields) } }
          write("package.json", "{")
          assert_equal @inner, JS::Project.find(@inner, @env).root
          refused { manifest(workspaces: ["apps/*"]) }
        end
      end
    end

    def test_pnpm
      PnpmMajors.each do |major, path|
        @path = path
        project("pnpm") do
          { nil => "inner", "packages: [apps/*]" => "root", "packages: ['apps/**']" => "root",
            "packages: [libs/*]" => major < 12 ? "root" : "inner",
            "blockExoticSubdeps: true" => major < 12 ? "root" : "inner" }
            .each { |text, place| assert_place(place) { workspace(text) } }
          workspace("packages: [apps/*]")
          assert_place("inner") { write("apps/inner/pnpm-workspace.yaml", "packages: [\".\"]\n") }
          FileUtils.rm("#{@inner}/pnpm-workspace.yaml")
          refused { workspace("packages: [apps/*]") }
        end
      end
    end

    private

    # Creates an outer and an inner folder. The tool locked each of them while there was no workspace above.
    def project(tool)
      @tool = tool
      @root = "#{@folder}/#{@number += 1}"
      @inner = "#{@root}/apps/inner"
      @env = NpmRegistry.env(@registry, home: "#{@folder}/home")
                        .merge("PATH" => @path, "SPATE_HOME" => "#{@folder}/spate")
      %w[pnpm npm].each { |name| @env["#{name}_config_minimum_release_age"] = "0" if tool == "pnpm" }
      write("apps/inner/package.json", JSON.generate(name: "inner", version: "1.0.0", dependencies: { one: "1.0.0" }))
      tool(@inner, *make)
      yield
    end

    def make = @tool == "npm" ? %w[install --package-lock-only] : %w[install --lockfile-only]
    def frozen = @tool == "npm" ? %w[ci] : %w[install --frozen-lockfile]
    def lockfile = @tool == "npm" ? "package-lock.json" : "pnpm-lock.yaml"
    def manifest(fields = {}) = write("package.json", JSON.generate({ name: "root", version: "1.0.0" }.merge(fields)))

    def workspace(text)
      manifest
      path = "#{@root}/pnpm-workspace.yaml"
      text ? File.write(path, "#{text}\n") : FileUtils.rm_f(path)
    end

    # The block writes the workspace's files. place: the folder that is restored, "root" or "inner". For "root" the tool
    # also locks the workspace.
    def assert_place(place)
      yield
      tool(@root, *make) if place == "root"
      told = "#{@path[/p?npm-[^:]*/]}: #{File.read("#{@root}/package.json")} #{Dir.children(@root)}"
      assert_same_modules(place, told) { tool(@inner, *frozen) }
      assert_same_modules(place, told) { restore }
    end

    def assert_same_modules(place, told)
      forget
      yield
      assert_equal place, File.directory?("#{@root}/node_modules") ? "root" : "inner", told
      assert_equal place == "inner", File.exist?("#{@inner}/node_modules/#{mark}"), told
    end

    # A name in node_modules that the tool creates only in the folder that it restores.
    def mark = @tool == "npm" ? ".package-lock.json" : ".pnpm"

    # Asserts that the tool and Spate fail because the workspace has no lockfile.
    def refused
      yield
      forget
      FileUtils.rm_f("#{@root}/#{lockfile}")
      _, status = capture(@inner, *frozen)
      refute_predicate status, :success?
      error = assert_raises(JS::UnusedLockfile) { restore }

      assert_equal "#{@inner}/#{lockfile} is not used: #{@tool} uses the workspace #{@root}, which has no #{lockfile}",
                   error.message
      assert_equal 3, error.exit_code
    end

    def restore
      project = JS::Project.find(@inner, @env)
      assert_equal [project.folder == project.root ? nil : "#{@inner}/#{lockfile}"], [project.unused_lockfile]
      JS.restore(root: project.root, store: Store.open(env: @env), env: @env)
    end

    def forget = Dir.glob("#{@root}/{,apps/inner/}node_modules").each { |path| FileUtils.rm_rf(path) }
    def write(path, text) = super("#{@number}/#{path}", text)

    def tool(folder, *words)
      output, status = capture(folder, *words)
      assert_predicate status, :success?, output
    end

    def capture(folder, *words) = Open3.capture2e(@env, @tool, *words, chdir: folder, unsetenv_others: true)
  end
end
