# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # A gem of the Gemfile of which no version can be used. Bundler lists all versions, often hundreds.
      #
      #   No version of rack satisfies:
      #     Gemfile requires rack = 99.0
      #   versions of rack: 3.2.8, 3.2.7, 3.2.6, 3.2.5, 3.2.4, 3.2.3, 3.2.2, 3.2.1 and 176 older ones
      class MissingGem
        # Prepended to Bundler::Resolver.
        module Resolver
          private

          def raise_not_found!(package)
            super
          rescue Bundler::GemNotFound => e
            least = respond_to?(:base_requirements, true) && base_requirements[package.name]
            raise e unless (text = MissingGem.text(e.message, package.dependency, @all_specs[package.name], least))

            raise Bundler::GemNotFound, text
          end
        end

        LIST = /^The source contains the following gems matching .*:\n(?:  \* .*\n?)+/

        # Text; nil if Bundler's message has a different form than expected. specs: of this gem. least: the requirement
        # that prevents a downgrade (Gem::Requirement or Gem::Dependency), or nil.
        def self.text(message, dependency, specs, least = nil)
          new(message, dependency, specs, least).text
        rescue StandardError
          nil
        end

        def initialize(message, dependency, specs, least)
          @least = least.respond_to?(:requirement) ? least.requirement : least
          @message = message
          @dependency = dependency
          @specs = specs
        end

        def text = [*reason, *hints].join("\n")

        private

        def name = @dependency.name

        def reason
          return [first_line, *suggestion] if @specs.empty?

          matching = @specs.select { |spec| @dependency.requirement.satisfied_by?(spec.version) }
          return unsatisfied if matching.empty?

          downgrade?(matching) ? older : [first_line, variants(matching)]
        end

        def downgrade?(matching) = @least && matching.none? { |spec| @least.satisfied_by?(spec.version) }

        def older
          locked = "#{name} #{@least.to_s.delete_prefix(">= ")}"
          ["No version of #{name} satisfies:",
           "  the lockfile has #{locked}, and an update never chooses an older version",
           Explanation.existing(name, @specs)]
        end

        def first_line = @message.lines.first.chomp

        # A private gem may have the name of a public one, so only gems that this machine has used are suggested.
        def suggestion
          near = Util::Suggestion.near(name, IndexHooks.kept_names)
          ["Did you mean #{near}?"] if near && near != name
        end

        def unsatisfied
          ["No version of #{name} satisfies:", "  Gemfile requires #{name} #{@dependency.requirement}",
           Explanation.existing(name, @specs)]
        end

        def variants(matching)
          newest = matching.map(&:version).max
          platforms = matching.select { |spec| spec.version == newest }.map { |spec| spec.platform.to_s }.uniq.sort
          "#{name} #{newest} is only for #{platforms.join(", ")}"
        end

        # Bundler's text after the list, about the cooldown or the lockfile's platforms.
        def hints
          rest = @message.lines.drop(1).join.sub(LIST, "")
          rest.lines(chomp: true).reject(&:empty?)
        end
      end
    end
  end
end
