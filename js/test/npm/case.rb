# frozen_string_literal: true

require "test_helper"
require "json"
require "fileutils"
require "tmpdir"

module Spate
  # Base class: a project with a package-lock.json, and methods that plan it.
  class NpmCase < Minitest::Test
    ProjectAt = Struct.new(:root, :lockfile)
    Given = Struct.new(:omit)
    Happened = Struct.new(:facts, :skipped, :root)

    # A substitute for npm's configuration.
    class Settings < Hash
      attr_accessor :env

      def inputs = []
      def list = self
      def keys_of(*) = []
      def all_of(key) = [self[key]]
    end

    def setup
      @root = Dir.mktmpdir("spate-npm")
      @settings = Settings.new
      @settings.env = { "PATH" => ENV.fetch("PATH") }
    end

    def teardown = FileUtils.rm_rf(@root)

    # Writes package.json and the lockfile. package: the package.json as a Hash. packages: entries of the lockfile; the
    # root's entry is derived from package.json.
    def write(package = {}, packages = {}, lock: {})
      write_json("package.json", package)
      root = package.slice(*JS::Npm::Project::Manifest::DEPENDENCIES, "name", "version", "workspaces",
                           "bundleDependencies")
      lock = { "name" => "root", "lockfileVersion" => 3, "requires" => true }.merge(lock)
      write_json("package-lock.json", lock.merge("packages" => { "" => root }.merge(packages)))
    end

    def write_json(path, data)
      FileUtils.mkdir_p(File.dirname(File.join(@root, path)))
      File.write(File.join(@root, path), JSON.pretty_generate(data))
    end

    # An entry of the lockfile. more: further fields.
    def entry(version = "1.0.0", **more)
      { "version" => version, "integrity" => "sha512-#{["#{version}#{more}".b.ljust(64, "x")[0, 64]].pack("m0")}" }
        .merge(more.transform_keys(&:to_s))
    end

    def plan(*omit) = JS::Npm.plan(ProjectAt.new(@root, "#{@root}/package-lock.json"), @settings, Given.new(omit))
    def paths(*omit) = plan(*omit).trees.map(&:path)
    def state(facts: {}, skipped: []) = plan.state.files(Happened.new(facts, skipped, @root))
  end
end
