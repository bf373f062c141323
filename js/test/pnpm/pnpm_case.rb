# frozen_string_literal: true

require "test_helper"
require "digest"
require "fileutils"
require "json"
require "tmpdir"

module Spate
  # Base class: a project with a pnpm-lock.yaml, and methods that plan it.
  class PnpmCase < Minitest::Test
    Given = Struct.new(:omit, :ignore_scripts)
    # A substitute for a configuration with npm's keys.
    Configured = Struct.new(:given, :env) do
      def [](key) = given[key]
    end

    def setup
      @root = File.realpath(Dir.mktmpdir("spate-pnpm"))
      @configured = {}
      @tools = Dir.mktmpdir("spate-pnpm-tools")
      @env = { "HOME" => @root, "PATH" => "#{@tools}:#{ENV.fetch("PATH")}" }
      installed("12.3.4")
    end

    def teardown = FileUtils.rm_rf([@root, @tools])

    def outcome(**given) = JS::Outcome.new(root: @root, **given)

    # Puts a pnpm of this version on the PATH.
    def installed(version)
      File.write("#{@tools}/package.json", JSON.generate(name: "pnpm", version: version))
      File.write("#{@tools}/pnpm", "", perm: 0o755)
    end

    def write(path, text)
      FileUtils.mkdir_p(File.dirname(File.join(@root, path)))
      File.write(File.join(@root, path), text.is_a?(String) ? text : JSON.pretty_generate(text))
    end

    # Writes a lockfile. importers, packages, snapshots: Hashes as in the file. top: other keys.
    def lock(importers, snapshots = {}, packages: {}, **top)
      packages = snapshots.keys.to_h { |key| [JS::Pnpm::DepPath.package(key), entry(key)] }.merge(packages)
      all = { "lockfileVersion" => "9.0", **top.transform_keys(&:to_s), "importers" => importers,
              "packages" => packages, "snapshots" => snapshots }
      write("pnpm-lock.yaml", JSON.pretty_generate(all))
    end

    # An importer in the lockfile's format. dependencies: { "a" => "1.0.0" }.
    def importer(dependencies = {}, group = "dependencies")
      { group => dependencies.transform_values { |version| { "specifier" => "1", "version" => version } } }
    end

    def entry(key, **more)
      digest = Digest::SHA512.base64digest(JS::Pnpm::DepPath.package(key))
      { "resolution" => { "integrity" => "sha512-#{digest}" } }.merge(more.transform_keys(&:to_s))
    end

    # Writes a lockfile and the package.json for it.
    def project(dependencies, snapshots = {}, package: {}, **more)
      write("package.json", { "dependencies" => dependencies.transform_values { "1" } }.merge(package))
      lock({ "." => importer(dependencies) }, snapshots, **more)
    end

    def plan(omit: [], ignore_scripts: nil)
      JS::Pnpm.plan(JS::Project.find(@root), Configured.new(@configured, @env), Given.new(omit, ignore_scripts))
    end

    def paths(...) = plan(...).trees.map(&:path)
    def links(...) = plan(...).links
  end
end
