# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Agreement
        # package.json's `overrides`: rules for a name everywhere, for a name with a certain range, and for the
        # dependencies of one package. A place inherits the rules of its dependents.
        #
        # https://docs.npmjs.com/cli/configuring-npm/package-json#overrides
        class Overrides
          # name, range:: the dependency to which the rule applies; nil for the project's top rule. value:: the spec to
          #               use instead. rules:: for the dependencies of that dependency. parent:: the enclosing Rule.
          Rule = Struct.new(:name, :range, :value, :rules, :parent) do
            # Rules that may apply to the dependencies of this rule's package, nearest first.
            def all = rules + (name ? [self] : []) + (parent ? parent.all : [])
            def within?(other) = equal?(other) || (!parent.nil? && parent.within?(other))
          end
          # Fields in which "$name" of an override is looked up.
          FIELDS = %w[devDependencies optionalDependencies dependencies peerDependencies].freeze

          # lockfile: connected by Graph.
          def initialize(lockfile, legacy_peers)
            @lockfile = lockfile
            @legacy_peers = legacy_peers
            given = lockfile.root.data["overrides"]
            @rules = {}.compare_by_identity
            apply_rules(rule(nil, nil, given)) if given.is_a?(Hash) && given.any?
          end

          # The spec that applies to a place's dependency on a name: the given spec, or the override that replaces it.
          def effective_spec(place, name, spec)
            rule = @rules.empty? ? nil : named(@rules[place], name, spec)
            rule.nil? || rule.value == "*" ? spec : meant(rule.value, place)
          end

          # Whether a place satisfies another place's dependency.
          def met?(place, found, name, spec)
            return spec?(spec, found, place) if @rules.empty?

            wanted = found.bundler && !found.bundler.root? ? spec : effective_spec(place, name, spec)
            return spec?(spec, found, place) if wanted == spec

            spec?(wanted, found, @lockfile.root) ||
              (spec?(spec, found, place) && !spec?(named(@rules[place], name, spec).range, found, place))
          end

          private

          def rule(key, parent, given)
            given = { "." => given.to_s } unless given.is_a?(Hash)
            name, range = key&.match(/\A(@?[^@]+)(?:@(.*))?\z/m)&.captures
            range = "*" if range.to_s.empty?
            Rule.new(name, range, given["."].to_s.empty? ? range : given["."].to_s, [], parent).tap do |made|
              given.each { |inner, value| made.rules << rule(inner, made, value) unless inner == "." }
            end
          end

          # If several dependents lead to a place, the innermost rule applies.
          def apply_rules(top)
            @rules[@lockfile.root] = top
            queue = [@lockfile.root]
            while (place = queue.pop)
              asked(place).each do |name, (spec, _)|
                to = place.resolve(name) or next
                rule = named(@rules[place], name, spec) || @rules[place]
                [to, to.target].compact.each { |each| queue << each if set_rule(each, rule) }
              end
            end
          end

          # The root also depends on its workspaces.
          def asked(place)
            found = Graph::Asked.of(place, legacy_peers: @legacy_peers)
            return found unless place.root? && place.children

            found.merge(place.children.select { |_, child| child.link? }.transform_values { ["file:"] })
          end

          def set_rule(place, rule)
            known = @rules[place]
            return false if known && (known.equal?(rule) || !rule.within?(known))

            @rules[place] = rule
            true
          end

          def named(rule, name, spec)
            rule&.all&.find { |each| each.name == name && (each.range == "*" || for?(each.range, spec)) }
          end

          # True if the range is invalid and cannot be compared.
          def for?(range, spec)
            spec = spec[Spec::ALIAS, 1] || "*" if Spec::ALIAS.match?(spec)
            Semver::Range.parse(spec, loose: true).nil? || Semver.meet?([range, spec])
          end

          def meant(value, place)
            return value unless value.start_with?("$")

            [@lockfile.root.data, place.data].each do |data|
              FIELDS.each { |field| data[field]&.key?(value[1..]) and return data[field][value[1..]] }
            end
            value
          end

          def spec?(text, found, from) = ((@specs ||= {})[text] ||= Spec.new(text)).met?(found, from)
        end
      end
    end
  end
end
