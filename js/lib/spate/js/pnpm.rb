# frozen_string_literal: true

module Spate
  module JS
    # Plans node_modules from pnpm-lock.yaml (version 9), like `pnpm install --frozen-lockfile`.
    #
    #   pnpm-lock.yaml ─► Lockfile ─► Selection ─► Layout, Hoisting ─► Plan
    #   settings ─────────► Agreement ──┘ what is for this machine     trees, links, bins, state
    #
    # pnpm's isolated layout: each package in each combination of peers has a slot, node_modules/.pnpm/SLOT/node_modules
    # with its own files, and its dependencies beside it as symbolic links.
    module Pnpm
      autoload :Agreement, "spate/js/pnpm/agreement"
      autoload :Bins, "spate/js/pnpm/bins"
      autoload :DepPath, "spate/js/pnpm/dep_path"
      autoload :Layout, "spate/js/pnpm/layout"
      autoload :Links, "spate/js/pnpm/links"
      autoload :Lockfile, "spate/js/pnpm/lockfile"
      autoload :ObjectHash, "spate/js/pnpm/object_hash"
      autoload :Patch, "spate/js/pnpm/patch"
      autoload :Planning, "spate/js/pnpm/planning"
      autoload :Selection, "spate/js/pnpm/selection"
      autoload :Settings, "spate/js/pnpm/settings"
      autoload :State, "spate/js/pnpm/state"
      autoload :Workspace, "spate/js/pnpm/workspace"
      autoload :Yaml, "spate/js/pnpm/yaml"

      # Returns a Plan. project: Project. configuration: Configuration. options: Options. slots: callable that returns
      # the folder of a global virtual store; if nil, such a project is left to pnpm. Raises LockfileError,
      # DisagreementError, LeftToTool.
      def self.plan(project, configuration, options, slots: nil)
        Planning.new(project, configuration, options, slots: slots).plan
      end

      # Patterns of settings such as hoistPattern: `*` matches anything, `!` excludes matches of earlier patterns.
      class Matcher
        def initialize(patterns)
          @patterns = patterns.map { |pattern| [pattern.start_with?("!"), pattern.delete_prefix("!").split("*", -1)] }
          @all = patterns == ["*"]
        end

        def empty? = @patterns.empty?

        def match?(name)
          return true if @all

          # If all patterns are exclusions, every other name matches.
          matched = !empty? && @patterns.all?(&:first)
          @patterns.each do |exclusion, parts|
            matched = !exclusion if matched == exclusion && fits?(parts, name)
          end
          matched
        end

        private

        # parts: the text between the asterisks. Each is matched at the earliest position, without backtracking.
        def fits?(parts, name)
          first, *between, last = parts
          return name == first.to_s unless last
          return false unless name.start_with?(first) && name.end_with?(last)

          at = between.reduce(first.size) { |from, part| (name.index(part, from) || (return false)) + part.size }
          at + last.size <= name.size
        end
      end
    end
  end
end
