# frozen_string_literal: true

module Spate
  module Resolve
    # The dependency graph of a lockfile. Variants of a gem for several platforms are merged.
    class Graph
      # The name of the Gemfile as a dependent.
      GEMFILE = "Gemfile"

      # source: see Lockfile::Spec. platform: "ruby" if there is such a variant. needs: { name => requirement or nil }
      Gem = Struct.new(:name, :version, :platform, :source, :needs) do
        def to_s = "#{name} #{version}"
      end

      # A gem (Gem) or the Gemfile (nil) that requires another gem.
      Dependent = Struct.new(:gem, :requirement) do
        def to_s = "#{gem || GEMFILE} (#{requirement || ">= 0"})"
      end

      def initialize(lockfile)
        @roots = lockfile.dependencies.to_h { |dependency| [dependency.name, dependency.requirement] }
        @gems = lockfile.specs.group_by(&:name).transform_values { |variants| merged(variants) }
      end

      # The dependencies of the Gemfile as { name => requirement or nil }, and the gems of the lockfile as { name => Gem
      # }.
      attr_reader :roots, :gems

      def [](name) = @gems[name]

      # [Dependent] of a gem, starting with the Gemfile.
      def dependents(name)
        @dependents ||= @gems.each_value.with_object(Hash.new { |all, key| all[key] = [] }) do |gem, all|
          gem.needs.each { |need, requirement| all[need] << Dependent.new(gem, requirement) }
        end
        gemfile = @roots.key?(name) ? [Dependent.new(nil, @roots[name])] : []
        gemfile + @dependents.fetch(name, [])
      end

      # The shortest chain of names from a dependency of the Gemfile to a gem: ["rails", "actionpack", "rack"].
      def chain(name)
        before = @roots.keys.to_h { |root| [root, nil] }
        queue = @roots.keys
        while (current = queue.shift) && current != name
          @gems[current]&.needs&.each_key do |need|
            next if before.key?(need)

            before[need] = current
            queue << need
          end
        end
        before.key?(name) ? trace(before, name) : [name]
      end

      private

      def merged(variants)
        first = variants.find { |spec| spec.platform == "ruby" } || variants.first
        needs = variants.flat_map(&:dependencies).to_h { |dependency| [dependency.name, dependency.requirement] }
        Gem.new(first.name, first.version, first.platform, first.source, needs)
      end

      def trace(before, name)
        chain = [name]
        chain.unshift(before[chain.first]) while before[chain.first]
        chain
      end
    end
  end
end
