# frozen_string_literal: true

module Spate
  class Planner
    # The Gemfile's dependencies for this bundle: those of a selected group and of this platform.
    class Wanted
      # name: name of the gem. needed_by: name of the gem that depends on it, nil for the Gemfile. force_ruby: use the
      # "ruby" variant.
      Dependency = Struct.new(:name, :needed_by, :force_ruby)

      # gemfile: nil to use all DEPENDENCIES of the lockfile.
      def initialize(lockfile, gemfile, settings)
        @lockfile = lockfile
        @gemfile = gemfile
        @settings = settings
      end

      # [Dependency]
      def dependencies
        return @lockfile.dependencies.map { |dependency| Dependency.new(dependency.name) } unless @gemfile

        groups = wanted_groups
        included = @gemfile.dependencies.select do |dependency|
          dependency[:platforms_ok] != false && groups_of(dependency).intersect?(groups)
        end
        included.map { |dependency| Dependency.new(dependency[:name], nil, dependency[:force_ruby_platform]) }
      end

      private

      def wanted_groups
        groups = @gemfile.dependencies.flat_map { |dependency| groups_of(dependency) }.uniq
        groups = groups - names(:without) - optional + names(:with)
        only.empty? ? groups : groups & only
      end

      # The groups of the setting `only`. Empty if this Bundler does not support the setting, since `bundle exec` would
      # then need the other groups too.
      def only
        return [] if @gemfile.respond_to?(:supports_only?) && !@gemfile.supports_only?

        names(:only)
      end

      def groups_of(dependency)
        groups = dependency[:groups]
        groups.nil? || groups.empty? ? ["default"] : groups.map(&:to_s)
      end

      def optional
        @gemfile.respond_to?(:optional_groups) ? Array(@gemfile.optional_groups).map(&:to_s) : []
      end

      def names(key) = Array(@settings&.array(key)).map(&:to_s)
    end
  end
end
