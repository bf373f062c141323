# frozen_string_literal: true

require "tmpdir"

module Spate
  module JS
    module Tools
      # Runs a tool. Other threads continue to work meanwhile.
      class Run
        # Number of the last lines of output to show in an error.
        LINES = 20
        # Lines that node prints around an uncaught error.
        TRACE = %r{\A\s*(?:at |\.\.\. \d+ lines|throw |\^|\}|Node\.js v\d|(?:node:|file:|/)\S+:\d+\z)}
        # Seconds between two reads of the output.
        LOOK = 0.1

        # terminal: an IO for the output while the tool runs, or nil.
        def initialize(tool, events:, reasons: [], terminal: nil)
          @tool = tool
          @events = events
          @reasons = reasons
          @terminal = terminal
        end

        # Returns the number of seconds. Raises ToolMissing, ToolUnusable, ToolFailed, Interrupted.
        def call
          command = @tool.command
          shown = [@tool.name, *@tool.arguments]
          @events.emit(:js_tool_start, tool: @tool.name, command: shown.join(" "), reasons: @reasons)
          started = Util.now
          Dir.mktmpdir("spate-js-") { |folder| run(command, shown, "#{folder}/log") }
          seconds = Util.now - started
          @events.emit(:js_tool_done, tool: @tool.name, seconds: seconds.round(3))
          seconds
        end

        private

        def run(command, shown, log)
          root = @tool.project.root
          variables = Program.new(@tool).variables.merge(Install::FolderLock.variables(File.realpath(root), @tool.env))
          child = Child.new(variables, log, folder: root)
          status = showing(log) { child.run(*command) }
          return if status.success?

          raise failure(shown, status, lines(log))
        end

        # The error to raise. If the tool cannot print its version, it is unusable: corepack could not download it, or
        # refuses to start it here.
        def failure(shown, status, lines)
          program = Program.new(@tool)
          version = program.version("COREPACK_ENABLE_NETWORK" => "0")
          return ToolFailed.new(@tool, shown, status, lines.last(LINES), version) if version

          ToolUnusable.new(@tool, program.words, lines.grep_v(TRACE).last(LINES))
        end

        # Copies the output to the terminal while the block runs.
        def showing(log)
          return yield unless @terminal

          done = false
          thread = Thread.new { follow(log) { done } }
          yield
        ensure
          done = true
          thread&.join
        end

        def follow(log)
          at = 0
          loop do
            last = yield
            text = File.exist?(log) ? File.binread(log, nil, at).to_s : ""
            @terminal.write(text)
            at += text.bytesize
            return if last

            sleep LOOK
          end
        end

        def lines(log)
          Build::Failure::Log.new(File.binread(log)).text.lines(chomp: true).reject { |line| line.strip.empty? }
                             .map { |line| line[0, 300] }
        rescue Errno::ENOENT
          []
        end
      end

      # Runs the project's own scripts after a tool that ran without scripts. Tools cannot disable scripts of
      # dependencies alone.
      module OwnScripts
        # Replaces Restore::Context in a Scripts::Session.
        Context = Struct.new(:root, :env, :store, :events, :options, keyword_init: true) do
          def path(inside) = File.join(root, inside)
        end

        # Settings that disable scripts, in files that only the tool reads; JS::Configuration includes .npmrc.
        # { name => [file in the project, file in the home, matching line] }
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
