# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Which packages may run scripts. A list names packages of a registry. The lockfile's address decides whether a
      # package comes from one: a name in the archive, or an alias, allows nothing. A package is denied, though, if the
      # name in its archive differs from the lockfile's.
      module Policy
        autoload :Npm, "spate/js/scripts/policy/npm"
        autoload :Pnpm, "spate/js/scripts/policy/pnpm"
        autoload :Source, "spate/js/scripts/policy/source"

        VERSION = /\A\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?\z/

        # Settings that allow all scripts without checking where packages come from.
        ALL = %w[dangerously-allow-all-scripts dangerouslyAllowAllBuilds].freeze
        # How npm cleans versions up.
        UNCLEAN = /\A[v=\s]+|\+.*|\s+\z/m
        private_constant :UNCLEAN

        # Responds to decide(tree) -> [true, false or nil, by], ignored -> [entries of lists without effect], unknown ->
        # [names of packages], word(tree), and silent?: whether all scripts are disabled. configuration:
        # JS::Configuration, or nil.
        def self.of(plan, configuration)
          package = Project.read(File.join(plan.root, Project::PACKAGE))
          return Npm.new(plan.root, package, configuration) unless plan.tool == "pnpm"

          Pnpm.new(plan.root, JS::Pnpm::Settings.again(plan, package, configuration), configuration)
        end

        # The result of `decide`, or [nil, nil, found] if the archive is another package than the lockfile's.
        def self.proven(decision, package, facts)
          return decision if !decision.first || ALL.include?(decision.last)

          names = facts.name == package.name
          return decision if names && (package.version.nil? || clean(facts.version) == clean(package.version))

          [nil, nil, [facts.name || "nothing", facts.version].compact.join("@")]
        end

        def self.clean(version) = version.to_s.gsub(UNCLEAN, "")
        private_class_method :clean
      end
    end
  end
end
