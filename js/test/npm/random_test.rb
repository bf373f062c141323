# frozen_string_literal: true

require_relative "npm_ci_case"

module Spate
  # Random projects: packages with several versions, all kinds of dependencies that npm supports, bins, platforms,
  # workspaces. Spate must plan and restore what npm locks and installs.
  class NpmRandomTest < NpmCiCase
    NAMES = (%w[a b c d e f g h i-j i_j k.l Mn] + %w[@s/a @s/z @t/a]).freeze
    # Names of packages of which some are for other platforms. They are only optional dependencies.
    PICKY = %w[x-one x-two @x/three x-four].freeze
    RANGES = ["*", "^1.0.0", "1", "^2.0.0", ">=1", "~1.0.0", "1 || 2", "latest", "1.2.0"].freeze
    VERSIONS = %w[1.0.0 1.0.1 1.2.0 2.0.0].freeze

    def test_random_projects
      seed = Integer(ENV.fetch("SEED", Random.new_seed % 1_000_000))
      Integer(ENV.fetch("PROJECTS", 4)).times do |index|
        @random = Random.new(seed + index)
        try("SEED=#{seed + index}")
      end
      refute_nil @compared, "SEED=#{seed}: npm could install none of these"
    end

    private

    def try(whence)
      publish
      write_project
      output, status = Open3.capture2e(environment, "npm", "install", "--package-lock-only", chdir: @root,
                                                                                             unsetenv_others: true)
      # npm cannot resolve some of the projects.
      return unless status.success?

      omit = %w[dev optional peer].select { chance(6) }
      assert_as_npm_ci(omit: omit)
      @compared = @compared.to_i + 1
    rescue Minitest::Assertion => e
      # npm rejects some of its own lockfiles: optional packages that it could not resolve.
      return if e.message.match?(/code (?:EUSAGE|EBADPLATFORM|ETARGET)/)

      raise e.class, "#{whence} omit: #{omit}\n#{e.message}\n#{lockfile}\n#{output}", e.backtrace
    ensure
      @registry.stop
      @registry = NpmRegistry.start
      FileUtils.rm_rf(@root)
      FileUtils.mkdir_p(@root)
    end

    def environment = NpmRegistry.env(@registry, home: @home).merge("PATH" => ENV.fetch("PATH"), **ALLOWED)
    def chance(times) = @random.rand(times).zero?
    def pick(names, most) = names.sample(@random.rand(0..most), random: @random)

    def needs(most, except = nil) = (pick(NAMES, most) - [except]).to_h do |name|
                                      [name, RANGES.sample(random: @random)]
                                    end

    def perhaps(most, except) = pick(PICKY, most).to_h { |name| [name, "*"] }.merge(needs(most, except))
    def peers(except) = (pick(NAMES, 1) - [except]).to_h { |name| [name, "*"] }

    def publish
      NAMES.product(VERSIONS) { |name, version| publish_one(name, version, manifest(name)) }
      PICKY.each { |name| publish_one(name, "1.0.0", machine.merge(dependencies: needs(2))) }
    end

    def publish_one(name, version, manifest)
      # All files that may be bins are executable. npm only makes those executable that it links, while a package in the
      # store has the same modes everywhere.
      add(name, version, files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755], "x.js" => ["1", 0o755] }, **manifest)
    end

    def manifest(name)
      made = { dependencies: needs(2, name) }
      made[:optionalDependencies] = perhaps(2, name) if chance(4)
      made[:peerDependencies] = peers(name) if chance(4)
      made[:peerDependenciesMeta] = made[:peerDependencies].transform_values { { "optional" => true } } if peers?(made)
      made[:bin] = { %w[one two three].sample(random: @random) => "cli.js", name[-1] => "./x.js" } if chance(3)
      made
    end

    def peers?(made) = made[:peerDependencies] && chance(2)

    def machine
      [{ os: ["nowhere"] }, { os: ["!nowhere"] }, { cpu: ["!none"] }, { libc: ["musl"] }, { libc: ["glibc"] },
       { engines: { "node" => "<2" } }, { engines: { "node" => ">=4" } }].sample(random: @random)
    end

    def write_project
      folders = chance(2) ? %w[packages/p packages/q].first(@random.rand(1..2)) : []
      folders.each { |folder| write_json("#{folder}/package.json", workspace(File.basename(folder))) }
      write_json("package.json", { "name" => "app", "dependencies" => needs(4), "devDependencies" => needs(3),
                                   "optionalDependencies" => perhaps(3, nil), "workspaces" => folders })
    end

    def workspace(name)
      { "name" => "w-#{name}", "version" => "1.0.0", "dependencies" => needs(3), "devDependencies" => needs(2) }
    end
  end
end
