# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # The project's own scripts, after a tool that was told to run none: no tool keeps those of dependencies from
      # running and lets these.
      module OwnScripts
        # As Restore::Context, for Scripts::Session.
        Context = Struct.new(:root, :env, :store, :events, :options, keyword_init: true) do
          def path(inside) = File.join(root, inside)
        end

        module_function

        # Raises ScriptFailed, NodeMissing, Interrupted.
        def run(tool, events)
          root = tool.project.root
          facts = folders(root).to_h { |path| [path, Package::Facts.of_folder(File.join(root, path))] }.compact
          return if facts.each_value.none? { |each| each.scripts.any? }

          plan = Plan.new(tool: tool.name, root: root, trees: [], projects: facts.keys)
          context = Context.new(root: root, env: tool.env, store: Store.open(env: tool.env), events: events,
                                options: tool.options)
          Scripts.run(plan, Outcome.new(facts: facts), nil, context)
        end

        def folders(root) = [".", *Project::Workspace.members(root).map { |path| path.delete_prefix("#{root}/") }]
        private_class_method :folders
      end
    end
  end
end
