# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Runs the project's own scripts after a tool that ran none: no tool can disable only those of dependencies.
      module OwnScripts
        # As Restore::Context, for Scripts::Session.
        Context = Struct.new(:root, :env, :store, :events, :options, keyword_init: true) do
          def path(inside) = File.join(root, inside)
        end

        # Settings that disable scripts in files that only the tool itself reads; .npmrc is in the configuration. { name
        # => [file in the project, file in the home, matching line] }
        SILENT = {
          "bun" => ["bunfig.toml", ".bunfig.toml", /^[ \t]*(?:install\.)?ignoreScripts[ \t]*=[ \t]*true\b/],
          "pnpm" => ["pnpm-workspace.yaml", ".config/pnpm/config.yaml", /^ignoreScripts:[ \t]*true\b/],
          "yarn" => [".yarnrc", ".yarnrc", /^(?:--(?:install|\*)\.)?"?ignore-scripts"?[ \t]+"?true\b/]
        }.freeze
        private_constant :SILENT

        module_function

        # Raises ScriptFailed, NodeMissing, Interrupted.
        def run(tool, events)
          root = tool.project.root
          facts = folders(root).to_h { |path| [path, Package::Facts.of_folder(File.join(root, path))] }.compact
          return if facts.each_value.none? { |each| each.scripts.any? } || silent?(tool)

          plan = Plan.new(tool: tool.name, root: root, trees: [], projects: facts.keys)
          store = Store.open(env: tool.env)
          context = Context.new(root: root, env: tool.env, store: store, events: events, options: tool.options)
          configuration = Configuration.of(tool.project, tool.env, store: store)
          Scripts.run(plan, Outcome.new(facts: facts), configuration, context)
        end

        def folders(root) = [".", *Project::Workspace.members(root).map { |path| path.delete_prefix("#{root}/") }]

        # Whether one of the tool's own files disables scripts, and no option overrides it.
        def silent?(tool)
          inside, home, text = SILENT[tool.name]
          return false unless text && tool.options&.ignore_scripts.nil?

          files = [File.join(tool.project.root, inside)]
          files << File.join(tool.env["HOME"], home) if tool.env["HOME"]
          files.any? { |file| File.file?(file) && File.read(file, encoding: Encoding::UTF_8).scrub.match?(text) }
        end
        private_class_method :folders, :silent?
      end
    end
  end
end
