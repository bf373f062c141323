# frozen_string_literal: true

module Spate
  class Planner
    # Chooses one of a gem's locked variants, like Bundler: the variant closest to the machine's platform among those
    # that are compatible with its Ruby and RubyGems. For a frozen bundle it chooses the closest of all variants, so
    # that an incompatibility is an error.
    class Variants
      # platform: the machine's Platform, or Platform::RUBY if forced by a setting. unfit: [full name]. available: see
      # Planner. running: Running.
      def initialize(lockfile:, platform:, running:, frozen: false, available: nil, unfit: [])
        @lockfile = lockfile
        @platform = platform
        @running = running
        @frozen = frozen
        @available = available
        @unfit = unfit
        @choice = Platform::Choice.new(platform)
        @ruby_choice = Platform::Choice.new(Platform::RUBY)
      end

      # Whether to use the lockfile's variants. If not, variants are chosen during installation, because the lockfile
      # contains only the platform "ruby" (or only "java" on JRuby), like lockfiles of older Bundler versions.
      def exact?
        return @exact if defined?(@exact)

        generic = @platform.generic == Platform::JAVA ? Platform::JAVA : Platform::RUBY
        @exact = @platform.ruby? || closest_platform != generic
      end

      # specs: all locked variants of one gem. Returns a Package, or nil if none runs on this machine.
      def choose(specs, force_ruby: false)
        sorted = runnable(specs, force_ruby)
        spec = @frozen ? sorted.first : fitting(sorted)
        return if spec.nil?

        (available(spec) unless exact? || force_ruby) || package(spec, sorted)
      end

      private

      # The variants that run on this machine, best first. Most gems have one variant, which runs everywhere.
      def runnable(specs, force_ruby)
        return specs if specs.one? && specs.first.platform == "ruby"

        (force_ruby ? @ruby_choice : @choice).sorted(specs)
      end

      def fitting(sorted)
        known = sorted.reject { |spec| @unfit.include?(spec.full_name) }
        return known.first if known.size < 2

        known.find { |spec| @running.reads?(Platform.parse(spec.platform)) } || known.first
      end

      def closest_platform
        @lockfile.platforms.min_by.with_index { |platform, index| [platform.distance(@platform), index] }
      end

      # The Package of another variant for this machine at the gem's source, or nil.
      def available(spec)
        return unless @available && spec.source.type == :gem

        @of_sources ||= Available.new(@available, @platform, @running)
        row = @of_sources.choose(spec, @unfit) or return
        return if row[:platform].to_s == spec.platform

        Package.new(name: spec.name, version: spec.version, platform: Platform.parse(row[:platform].to_s).to_s,
                    content_address: row[:content_address], source: spec.source, dependencies: needs(spec),
                    locked: false, alternatives: [spec.full_name])
      end

      def package(spec, sorted)
        Package.new(name: spec.name, version: spec.version, platform: spec.platform,
                    content_address: spec.content_address, source: spec.source,
                    dependencies: needs(spec), digests: @lockfile.digests(spec.full_name),
                    alternatives: sorted.map(&:full_name) - [spec.full_name])
      end

      def needs(spec) = spec.dependencies.map(&:name) - ["bundler"]
    end
  end
end
