# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # Raised if neither this folder nor a parent is a JavaScript project.
      class NoProject < Error
        EXIT_CODE = 2

        def initialize(folder)
          super("neither #{folder} nor a folder above it has a package.json",
                hint: "run the command in the project's folder")
        end
      end

      # The JavaScript packages of an install. The other half are its gems.
      class Half
        # Command line options that are passed to JS::Options.
        OPTIONS = %i[jobs copy local omit ignore_scripts global_virtual_store serial restore].freeze

        # The JS::Project of a folder or of its nearest parent that is a project. Raises NoProject.
        def self.project(folder, env)
          JS.find_upwards(folder) { |at| ::Spate::JS::Project.find(at, env, from: folder) } or raise NoProject, folder
        end

        attr_reader :project

        # context: the command's context, with the store and the environment. values: the parsed options.
        def initialize(project, context, values:, events:, backlog: nil)
          @project = project
          @context = context
          @values = values
          @events = events
          @backlog = backlog
        end

        # Returns a JS::Restore::Report. Raises Spate::Error.
        def run
          warn_of_lockfile
          ::Spate::JS.restore(**place, events: @events, options: options, backlog: @backlog)
        end

        # Warns about a lockfile that the tool does not use.
        def warn_of_lockfile
          unused = @project.unused_lockfile or return
          message = "#{unused} is not used: #{@project.tool_name} restores the workspace #{@project.root}"
          @events.emit(:warning, message: message, hint: nil)
        end

        # Warns about options that have no effect on this project.
        def warn_of_options
          given = @values[:global_virtual_store]
          return if given.nil? || @project.tool == "pnpm"

          option = "--#{"no-" unless given}global-virtual-store"
          message = "#{option} has no effect: #{@project.tool_name} is not pnpm"
          @events.emit(:warning, message: message, hint: nil)
        end

        # The reasons why the project's own tool must restore it, [String]; nil if Spate restores it. Raises
        # Spate::Error.
        def reasons = ::Spate::JS.reasons(**place, options: options)

        # Compares node_modules with the lockfile. Returns a JS::Restore::Check::Result.
        def check = ::Spate::JS.check(**place, options: options)

        def temporary? = @context.temporary?

        # Arguments common to JS.restore, JS.check and the other entry points.
        def place = { root: @project.root, env: @context.env, store: @context.store }

        def options
          given = @values.slice(*OPTIONS)
          given[:jobs] = 1 if given[:serial]
          given[:restore] = :all if given[:restore] == ["all"]
          ::Spate::JS::Options.new(**given)
        end
      end
    end
  end
end
