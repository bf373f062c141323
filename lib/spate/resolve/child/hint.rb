# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Names the requirement that has to change to resolve a conflict: the Gemfile's own requirement, or that of the
      # gem which excludes the newest version.
      class Hint
        # needs: [Explanation::Need]. name: of the gem for which no version satisfies them. specs: of this gem.
        def initialize(needs, name, specs)
          @needs = needs
          @name = name
          @rivals = needs.select { |need| need.name == name }
          @newest = specs.map(&:version).max
        end

        def text
          own = @rivals.find(&:gemfile?)
          return "no source has #{@name}: add its source to the Gemfile, or remove #{root(@name)}" unless @newest

          own ? loosen(own) : change(blocker)
        end

        private

        def loosen(own)
          others = (@rivals - [own]).map { |need| root(need.by) }.uniq.select { |name| limited?(name) }
          "loosen `#{@name}#{own.requirement}` in the Gemfile" \
            "#{", or allow another version of #{others.join(", ")}" if others.any?}"
        end

        def change(need)
          gem = root(need.by)
          way = "remove #{gem}, or use a fork of #{need.by}"
          way = "allow another version of #{gem} in the Gemfile" if limited?(gem)
          "#{need.by} excludes #{@name} #{@newest}: #{way}"
        end

        # The first requirement that excludes the newest version, or else the first one.
        def blocker = @rivals.find { |need| need.wanted.none? { |text| allows?(text) } } || @rivals.first

        def allows?(text)
          text.split(" OR ").any? { |part| Gem::Requirement.new(part.split(", ")).satisfied_by?(@newest) }
        end

        # The gem in the Gemfile that requires a gem, directly or through others.
        def root(name, seen = [])
          need = @needs.find { |one| one.name == name && !seen.include?(one.by) }
          need.nil? || need.gemfile? ? name : root(need.by, [*seen, need.by])
        end

        # Whether the Gemfile requires certain versions of a gem.
        def limited?(name) = @needs.any? { |need| need.gemfile? && need.name == name && need.wanted != [">= 0"] }
      end
    end
  end
end
