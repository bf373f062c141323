# frozen_string_literal: true

module Spate
  module JS
    # From package-lock.json (versions 2 and 3) to a Plan: what `npm ci` would make.
    #
    #   Lockfile ──► Graph ──► Kinds ──► Selection ──► Plan
    #   entries      places,   dev,      without what     trees, links, bins, state
    #   checked      edges     peer ...  npm leaves out
    #
    # The lockfile's keys are the paths, so nothing has to be hoisted. The graph is still needed: npm recomputes which
    # places are optional, for development or extraneous, and omits the dependencies of an omitted package.
    module Npm
      autoload :Agreement, "spate/js/npm/agreement"
      autoload :Bins, "spate/js/npm/bins"
      autoload :Collation, "spate/js/npm/collation"
      autoload :Graph, "spate/js/npm/graph"
      autoload :HiddenLockfile, "spate/js/npm/hidden_lockfile"
      autoload :Left, "spate/js/npm/left"
      autoload :Lockfile, "spate/js/npm/lockfile"
      autoload :Machine, "spate/js/npm/machine"
      autoload :Planner, "spate/js/npm/planner"
      autoload :Project, "spate/js/npm/project"
      autoload :Selection, "spate/js/npm/selection"
      autoload :Semver, "spate/js/npm/semver"
      autoload :Source, "spate/js/npm/source"

      # The Plan of a project. project: responds to root and lockfile (absolute). configuration: `[](key)` in npm's
      # spelling, `inputs`, `env`. options: `omit`. Raises LockfileError, DisagreementError, LeftToTool.
      def self.plan(project, configuration, options, **)
        Planner.new(project, configuration, options).plan
      end
    end
  end
end
