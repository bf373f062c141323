# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Agreement
        # package.json's `overrides`, of which the lockfile has no copy: a rule for a name holds for every place of that
        # name. Rules for the dependencies of one package, or for a range, are npm's to check.
        class Overrides
          # rules: { name => version, or { "." => version, ... } }
          def initialize(rules, lockfile)
            @rules = rules
            @lockfile = lockfile
          end

          # [Problem]
          def problems
            plain = @rules.filter_map { |name, rule| [name, version(rule)] if plain?(name, version(rule)) }.to_h
            return [] if plain.empty?

            @lockfile.places.each_value.select { |place| plain.key?(place.name) }
                     .filter_map { |place| problem(place, plain[place.name]) }
          end

          private

          def version(rule) = rule.is_a?(Hash) ? rule["."] : rule

          # "$name" stands for what the root asks for.
          def plain?(name, version)
            name.index("@", 1).nil? && version.is_a?(String) && version != "" && !version.start_with?("$")
          end

          def problem(place, version)
            return if place.bundler || !place.wanted? || Spec.new(version).met?(place, @lockfile.root)

            Problem.new("#{place.name}@#{version} (overrides in package.json)",
                        "the lockfile has #{place.version} in #{place.path}")
          end
        end
      end
    end
  end
end
