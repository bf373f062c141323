# frozen_string_literal: true

module Spate
  autoload :GemVersion, "spate/gem_version"
  autoload :Requirement, "spate/requirement"

  # Determines the packages of a bundle. Starts with the Gemfile's dependencies, walks the lockfile's graph, and chooses
  # for each gem the variant that Bundler would choose on this machine.
  class Planner
    autoload :Available, "spate/planner/available"
    autoload :Incomplete, "spate/planner/errors"
    autoload :MissingGem, "spate/planner/errors"
    autoload :MissingPlatform, "spate/planner/errors"
    autoload :MissingVariant, "spate/planner/errors"
    autoload :Running, "spate/planner/running"
    autoload :Variants, "spate/planner/variants"
    autoload :Wanted, "spate/planner/wanted"

    # @param lockfile [Lockfile]
    # @param gemfile [Gemfile::Facts, nil] nil if they are not yet known; then the plan includes all gems
    # @param settings [#bool, #array, #frozen?, nil] Bundler's settings
    # @param platform [Platform]
    # @param ruby_version [String]
    # @param rubygems_version [String, nil] nil for the version of this Ruby
    # @param available [#call, nil] called with (name, source) only if the lockfile lists no variants; returns an Array
    #   of Hashes with version, platform, ruby and rubygems
    # @param unfit [Array<String>] full names of packages that are incompatible with this Ruby or RubyGems; the next
    #   best variant is used
    def initialize(lockfile:, gemfile: nil, settings: nil, platform: Platform.local, ruby_version: RUBY_VERSION,
                   rubygems_version: nil, available: nil, unfit: [])
      @lockfile = lockfile
      @wanted = Wanted.new(lockfile, gemfile, settings)
      @speculative = gemfile.nil?
      platform = Platform::RUBY if settings&.bool(:force_ruby_platform)
      @platform = platform
      running = Running.new(ruby_version, rubygems_version)
      @variants = Variants.new(lockfile: lockfile, platform: platform, frozen: settings&.frozen?, unfit: unfit,
                               available: available, running: running)
    end

    # Chooses the packages of the bundle.
    #
    # @return [Plan]
    # @raise [Incomplete] if Bundler would resolve again
    def plan
      platform_locked
      chosen = walk
      Plan.new(in_order(chosen))
    end

    private

    # name => Package
    def walk
      chosen = {}
      queue = @wanted.dependencies
      until queue.empty?
        dependency = queue.shift
        name = dependency.name
        next if name == "bundler" || chosen.key?(name)

        package = choose(dependency) or next
        chosen[name] = package
        package.dependencies.each { |needed| queue << Wanted::Dependency.new(needed, package.name, false) }
      end
      chosen
    end

    def choose(dependency)
      variants = @lockfile.variants(dependency.name)
      if variants.empty?
        return if @speculative

        raise MissingGem.new(dependency.name, @lockfile.path, dependency.needed_by)
      end

      package = @variants.choose(variants, force_ruby: dependency.force_ruby)
      return package if package || @speculative

      raise MissingVariant.new(variants, @platform, @lockfile.path)
    end

    def platform_locked
      return if @speculative || @lockfile.platforms.any? { |locked| locked.ruby? || locked?(locked) }

      raise MissingPlatform.new(@lockfile.platforms, @platform, @lockfile.path)
    end

    def locked?(locked) = locked == @platform.generic || @platform == locked || @platform.match?(locked)

    def in_order(chosen)
      @lockfile.specs.filter_map { |spec| chosen[spec.name] }.uniq
    end
  end
end
