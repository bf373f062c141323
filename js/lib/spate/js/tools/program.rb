# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Finds a tool: first in the project, then on the PATH. yarn 1 cannot replace a later version, and no version can
      # replace a different one named by package.json: in these cases corepack is used first.
      class Program
        COREPACK = "corepack"

        def initialize(tool)
          @tool = tool
        end

        # The words that start the tool: [String]. Raises ToolMissing.
        def words = own || installed || raise(ToolMissing, @tool)

        # The version of the tool that would be started, or nil if the tool does not print one. Runs the tool. more:
        # additional variables.
        def version(more = {})
          require "open3"
          more = @tool.version_variables.merge(more)
          out, status = Open3.capture2(variables.merge(more), *words, "--version", chdir: @tool.project.root,
                                                                                   err: File::NULL, stdin_data: "",
                                                                                   unsetenv_others: true)
          out[/^(?:[a-z]+ )?v?(\d+\.\S+)/, 1] if status.success?
        rescue SystemCallError
          nil
        end

        def major = version&.to_i

        # All variables of the tool's environment.
        def variables = @tool.env.merge("COREPACK_ENABLE_DOWNLOAD_PROMPT" => "0", **@tool.variables)

        # The absolute path of a program on the PATH, or nil.
        def self.find(name, path)
          path.to_s.split(File::PATH_SEPARATOR).grep(%r{\A/}).map { |folder| "#{folder}/#{name}" }
              .find { |file| File.file?(file) && File.executable?(file) }
        end

        private

        def own
          script = @tool.own_script or return
          node = find("node")
          [node, script] if node && File.file?(script)
        end

        def installed
          found = find(@tool.name)
          corepack = find(COREPACK) if @tool.corepack?
          return [corepack, @tool.name] if corepack && !(found && fits?(found))

          [found] if found
        end

        def fits?(path)
          return true if !@tool.is_a?(Berry) || shim?(path)

          version = Project::Version.installed(@tool.name, @tool.env)
          version.to_i > 1 && [nil, version].include?(@tool.version)
        end

        # Whether the path is a shim of corepack.
        def shim?(path) = File.realpath(path).include?("/#{COREPACK}/")
        def find(name) = Program.find(name, @tool.env["PATH"])
      end
    end
  end
end
