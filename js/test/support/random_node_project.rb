# frozen_string_literal: true

require "fileutils"
require "json"

module Spate
  # Generates a package.json with real packages from a seed. The same seed gives the same file. Groups, aliases,
  # workspaces and settings vary. The project's own tool writes the lockfile.
  class RandomNodeProject
    GROUPS = %w[dependencies dependencies devDependencies optionalDependencies].freeze
    # Lines for npm's .npmrc, and for pnpm's pnpm-workspace.yaml.
    NPM_SETTINGS = [nil, nil, "omit=dev", "omit=optional", "install-links=true", "bin-links=false"].freeze
    PNPM_SETTINGS = [nil, nil, "publicHoistPattern: ['*eslint*', '*types*']", "hoist: false", "shamefullyHoist: true",
                     "virtualStoreDirMaxLength: 60", "dedupePeerDependents: false"].freeze

    attr_reader :seed, :tool

    # names: names of existing packages.
    def initialize(seed, names)
      @seed = seed
      @random = Random.new(seed)
      @names = names
      @tool = %w[npm pnpm][seed % 2]
    end

    def write(folder)
      FileUtils.mkdir_p(folder)
      File.write("#{folder}/package.json", JSON.pretty_generate(manifest("root-#{seed}", workspaces: workspaces)))
      workspaces.each do |path|
        FileUtils.mkdir_p("#{folder}/#{path}")
        File.write("#{folder}/#{path}/package.json", JSON.pretty_generate(manifest(path.tr("/", "-"))))
      end
      write_settings(folder)
    end

    def to_s = "seed #{seed}, #{tool}, #{setting || "no setting"}, #{workspaces.size} workspaces"

    private

    def setting = @setting ||= pick(tool == "npm" ? NPM_SETTINGS : PNPM_SETTINGS)
    def workspaces = @workspaces ||= pick([0, 0, 1, 3]).times.map { |number| "packages/part#{number}" }
    def pick(list) = list.sample(random: @random)

    def write_settings(folder)
      return File.write("#{folder}/.npmrc", "legacy-peer-deps=true\n#{setting}\n") if tool == "npm"

      File.write("#{folder}/pnpm-workspace.yaml", ["packages: ['packages/*']", setting, nil].compact.join("\n"))
    end

    def manifest(name, workspaces: [])
      groups = Hash.new { |hash, key| hash[key] = {} }
      @names.sample(@random.rand(1..6), random: @random).each do |package|
        alias_name = @random.rand < 0.1 ? "other-#{package.delete("@/")}" : package
        groups[pick(GROUPS)][alias_name] = alias_name == package ? "*" : "npm:#{package}@*"
      end
      extra = tool == "npm" && workspaces.any? ? { workspaces: workspaces } : {}
      extra[:bin] = { name => "./package.json" } if @random.rand < 0.3
      { name: name, version: "1.0.0", **extra, **groups }
    end
  end
end
