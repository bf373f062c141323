# frozen_string_literal: true

module Spate
  module JS
    # Runs the project's own tool, for lockfiles and features that Spate does not support (LeftToTool). The tool runs
    # with its frozen option: either the lockfile stays unchanged, or the run fails.
    #
    #   Tool     one class for each tool: its command, its files
    #   Program  where the tool is on this machine
    #   Memory   records the last run, so that the next one can be skipped
    #   Run      runs the tool
    module Tools
      %i[Berry Yarn].each { |name| autoload name, "spate/js/tools/yarn" }
      %i[Bun Deno Npm Pnpm Tool].each { |name| autoload name, "spate/js/tools/tool" }
      autoload :Child, "spate/js/tools/child"
      autoload :KnownSettings, "spate/js/tools/known_settings"
      autoload :Memory, "spate/js/tools/memory"
      %i[OwnScripts Run].each { |name| autoload name, "spate/js/tools/run" }
      autoload :Program, "spate/js/tools/program"

      # tool:: its display name
      # ran:: whether it was started; false: nothing to do
      # seconds:: how long it ran
      # reasons:: [String]: the reasons for using the tool
      Result = Struct.new(:tool, :ran, :seconds, :reasons)

      module_function

      # The Tool of a project.
      def of(project, env = ENV, options = nil) = const_get(project.tool.capitalize).new(project, env.to_h, options)

      # Restores with the tool, unless nothing has changed since its last run and no option requests a restore. options:
      # JS::Options or nil. reasons: from LeftToTool. terminal: IO for the output while the tool runs; nil to show the
      # output only if the tool fails. Returns a Result. Raises ToolMissing, ToolFailed, ScriptFailed, Interrupted.
      def restore(project, env: ENV, options: nil, events: Events.new, reasons: [], terminal: nil)
        tool = of(project, env, options)
        memory = Memory.new(tool, Store.open(env: env.to_h))
        return Result.new(project.tool_name, false, 0.0, reasons) if !options&.restore && memory.hold?

        memory.begin
        seconds = Run.new(tool, events: events, reasons: reasons, terminal: terminal).call
        own_scripts(tool, events) if tool.own_scripts?
        memory.keep
        Result.new(project.tool_name, true, seconds, reasons)
      end

      # Runs the project's own scripts if the tool ran without scripts because of dependencies.
      def own_scripts(tool, events)
        message = "#{tool.name} ran no scripts of dependencies, because #{tool.reason}"
        events.emit(:warning, message: message, hint: tool.permission)
        OwnScripts.run(tool, events)
      end
      private_class_method :own_scripts

      # Whether the tool's results are unchanged since its last run, according to the record. Starts no process.
      def in_place?(project, env = ENV, options = nil)
        Memory.new(of(project, env, options), Store.open(env: env.to_h)).hold?
      end

      # Like #in_place?, but the folder need not be a project. Returns nil without a record.
      def left_in_place?(folder, env = ENV)
        return unless Memory.find(Store.open(env: env.to_h), folder)

        project = Project.at(folder, env)
        !project.nil? && in_place?(project, env)
      rescue Error
        false
      end
    end
  end
end
