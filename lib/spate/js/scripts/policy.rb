# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Whose scripts may run. A list names packages of a registry, and a package is one of a registry by where the
      # lockfile has it from: what its archive or an alias calls itself counts for nothing.
      module Policy
        autoload :Npm, "spate/js/scripts/policy/npm"
        autoload :Pnpm, "spate/js/scripts/policy/pnpm"
        autoload :Source, "spate/js/scripts/policy/source"

        VERSION = /\A\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?\z/

        # Responds to decide(tree) -> [true, false or nil, by] and to ignored -> [words of lists that mean nothing].
        # configuration: JS::Configuration, or nil.
        def self.of(plan, configuration)
          package = Project.read(File.join(plan.root, Project::PACKAGE))
          (plan.tool == "pnpm" ? Pnpm : Npm).new(plan.root, package, configuration)
        end
      end
    end
  end
end
