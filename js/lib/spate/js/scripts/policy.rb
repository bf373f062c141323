# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Whose scripts may run. A list names packages of a registry, and a package is one of a registry by where the
      # lockfile has it from: what its archive or an alias calls itself allows nothing. It denies, though, where it is
      # not what the lockfile says: that is a text of the project's, and says nothing true of an archive by itself.
      module Policy
        autoload :Npm, "spate/js/scripts/policy/npm"
        autoload :Pnpm, "spate/js/scripts/policy/pnpm"
        autoload :Source, "spate/js/scripts/policy/source"

        VERSION = /\A\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?\z/

        # Who wants everything to run asks for no proof.
        ALL = %w[dangerously-allow-all-scripts dangerouslyAllowAllBuilds].freeze
        # How npm cleans versions up.
        UNCLEAN = /\A[v=\s]+|\+.*|\s+\z/m
        private_constant :UNCLEAN

        # Responds to decide(tree) -> [true, false or nil, by], to ignored -> [words of lists that mean nothing] and to
        # unknown -> [names of packages]; to word(tree), too.
        # configuration: JS::Configuration, or nil. To silent?, too: whether nobody's scripts run.
        def self.of(plan, configuration)
          package = Project.read(File.join(plan.root, Project::PACKAGE))
          return Npm.new(plan.root, package, configuration) unless plan.tool == "pnpm"

          Pnpm.new(plan.root, JS::Pnpm::Settings.again(plan, package, configuration), configuration)
        end

        # What `decide` gave, or [nil, nil, found] for an archive that is another package than the lockfile says.
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
