# frozen_string_literal: true

module Spate
  module JS
    # Converts package-lock.json (versions 2 and 3) to a Plan with the same result as `npm ci`.
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
      autoload :Graph, "spate/js/npm/graph"
      autoload :HiddenLockfile, "spate/js/npm/hidden_lockfile"
      %i[Left Planner].each { |name| autoload name, "spate/js/npm/planner" }
      autoload :Lockfile, "spate/js/npm/lockfile"
      autoload :Machine, "spate/js/npm/machine"
      autoload :Project, "spate/js/npm/project"
      autoload :Selection, "spate/js/npm/selection"
      autoload :Semver, "spate/js/npm/semver"
      autoload :Source, "spate/js/npm/source"

      # Makes the Plan of a project. project: responds to root and lockfile (absolute). configuration: `[](key)` in
      # npm's spelling, `inputs`, `env`. options: `omit`. Raises LockfileError, DisagreementError, LeftToTool.
      def self.plan(project, configuration, options, **)
        Planner.new(project, configuration, options).plan
      end

      # The order in which npm writes names: English as ICU sorts it (`localeCompare(other, "en")`). Punctuation sorts
      # first, then digits, then letters; case matters only if nothing else differs.
      module Collation
        # Unicode's default order of the characters in names and paths.
        ORDER = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
        # The same order as characters that sort by their bytes.
        RANKS = ORDER.each_char.with_index.map { |_, index| (33 + index).chr }.join
        # Arguments for String#tr, in which "-", "^" and "\" have a special meaning.
        FROM = ORDER.gsub(/[\\^-]/) { |char| "\\#{char}" }.freeze
        TO = RANKS.gsub(/[\\^-]/) { |char| "\\#{char}" }.freeze
        private_constant :RANKS

        module_function

        # A String that sorts by its bytes as npm sorts the text.
        def key(text)
          small = text.downcase
          ranked = small.tr(FROM, TO)
          small == text ? ranked : "#{ranked}\0#{text.gsub(/[[:upper:]]/, "2").gsub(/[^2]/, "1")}"
        end
      end
    end
  end
end
