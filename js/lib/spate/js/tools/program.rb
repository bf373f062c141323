# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Finds a tool: the project's own, then the one on PATH. yarn 1 cannot replace a later version, nor one version
      # another that package.json names: in these cases corepack comes first.
      class Program
        COREPACK = "corepack"

        def initialize(tool)
          @tool = tool
        end

        # [String]. Raises ToolMissing.
        def words = own || installed || raise(ToolMissing, @tool)

        # The version of what would be started, nil where it does not say. Starts it; more: variables for it.
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

        # The whole environment of the tool.
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

        # Whether corepack itself is behind it.
        def shim?(path) = File.realpath(path).include?("/#{COREPACK}/")
        def find(name) = Program.find(name, @tool.env["PATH"])
      end
    end
  end
end
