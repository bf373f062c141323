# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Checks the current application's JavaScript packages: which tool owns the lockfile, whether that tool is
      # installed, and whether node_modules is restored.
      class JavascriptCheck
        # Only scripts of packages and the project's own tool need node.
        NODE = "node"

        def initialize(context)
          @context = context
        end

        def each
          project = JS::Half.project(Dir.pwd, @context.env)
          yield lockfile(project)
          yield tool(project)
          yield registry(project) if @left == false
          yield node
          yield node_modules(project.root)
          yield remembered if bundle?
        rescue JS::NoProject
          yield Finding.ok("no package.json here")
        end

        private

        # Makes a plan, as a restore does, to find out whether Spate can restore the project.
        def lockfile(project)
          reasons = JS::Half.new(project, @context, values: {}, events: Events.new).reasons
          @left = !reasons.nil?
          by = @left ? "Spate runs #{project.tool_name} to restore it" : "Spate restores it"
          Finding.ok(["#{project.lockfile}: #{by}", *reasons].join("; "))
        rescue Error => e
          Finding.broken(e.message, hint: e.hint, exit_code: e.exit_code)
        end

        # A missing tool is an error only if Spate cannot restore the project itself.
        def tool(project)
          words = ::Spate::JS::Tools::Program.new(::Spate::JS::Tools.of(project, @context.env)).words
          Finding.ok("#{project.tool_name} is #{words.join(" ")}")
        rescue ::Spate::JS::ToolMissing => e
          return Finding.broken(e.message, hint: e.hint, exit_code: e.exit_code) if @left

          Finding.ok("#{project.tool_name} is not on the PATH; needed only if Spate cannot restore the project")
        end

        # A registry is needed only for packages without an address in the lockfile.
        def registry(project)
          found = ::Spate::JS::Configuration.of(project, @context.env, store: @context.store).registry
          return Finding.ok("the registry is #{Util.redact(found)}") if found

          unknown = ::Spate::JS::Configuration::UnknownRegistryError
          Finding.odd("#{unknown::UNKNOWN}: packages come only from the lockfile's addresses, and lists cannot allow " \
                      "scripts by name", hint: unknown::HINT)
        end

        def node
          found = ::Spate::JS::Tools::Program.find(NODE, @context.env["PATH"])
          return Finding.ok("node is #{found}") if found

          Finding.odd("node is not on the PATH: packages' scripts cannot run", hint: "install Node.js")
        end

        # Uses the record of the last restore; does not compare the packages' files.
        def node_modules(root)
          case ::Spate::JS.in_place?(root, @context.env)
          when true then Finding.ok("node_modules is unchanged since its restore (`spate js check` compares each file)")
          when false then Finding.odd("node_modules, lockfile, settings or options changed since it was restored",
                                      hint: "spate js")
          else unknown(root)
          end
        end

        def unknown(root)
          folder = File.join(root, "node_modules")
          return Finding.odd("node_modules is missing", hint: "spate js") unless File.directory?(folder)
          unless ::Spate::JS.placed?(root, @context.env)
            return Finding.ok("the store has no record of node_modules: the next `spate js` restores all of it")
          end

          Finding.odd("the last restore of node_modules did not finish; `spate js` completes it", hint: "spate js")
        end

        def bundle?
          @context.location
        rescue Gemfile::NotFound
          false
        end

        def remembered
          return Finding.ok("`spate install` also restores node_modules") if @context.settings.bool("spate.js")

          Finding.ok("`spate install` restores gems only; --js also restores node_modules")
        end
      end
    end
  end
end
