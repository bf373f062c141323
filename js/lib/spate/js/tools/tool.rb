# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # Interface of a tool. Subclasses override the differences; paths are relative to the project's root.
      class Tool
        # Of npm's configuration, which most tools read; and one that affects all of them.
        VARIABLES = /\A(?:npm_config_|node_env\z)/i
        CHOOSING = /\A(?:asdf|corepack|fnm|mise|nodenv|nvm|volta)_/i

        attr_reader :project, :env, :options

        def initialize(project, env, options)
          @project = project
          @env = Util::Environment.clean(env)
          @options = options
        end

        # The tool's words: what frozen_words has after its program. Raises ToolMissing.
        def command = [*program, *arguments]
        # How it is started: [String]. Raises ToolMissing.
        def program = Program.new(self).words
        # The program's name.
        def name = project.tool_name
        # The version that package.json wants, or nil.
        def version = (manager&.version if manager&.name == name)
        # The same as people write it, "yarn@4.5.0".
        def wanted = [name, version].compact.join("@")
        # Its name at the registry.
        def package_name = name
        # Whether corepack has it.
        def corepack? = false
        # A script of the project that is the tool (absolute), or nil.
        def own_script = nil
        # Variables for it, beside the user's.
        def variables = {}
        # More of them where it is only to print its version.
        def version_variables = {}
        # Files that say how it restores, absent ones too; where to look for the user's, see #home_configs, and for the
        # machine's (absolute).
        def configs = [".npmrc"]
        def home_configs = [".npmrc"]
        def machine_configs = []
        # Files that say what a package is.
        def manifests = [Project::PACKAGE]
        # State files that it writes last: unless all exist, the tool has not finished.
        def states = []
        # Folders whose names must stay the same.
        def folders = ["node_modules"]
        # Names of variables that count, those of version managers among them.
        def variable?(name) = self.class::VARIABLES.match?(name) || CHOOSING.match?(name)

        # Whether scripts of dependencies stay off by an option of ours.
        def silent?
          return @silent if defined?(@silent)

          @silent = options&.ignore_scripts ? true : !lists?
        end

        # Why no scripts of dependencies run, if no option disables them.
        def reason = "the project lists none that may"
        # The setting by which a project allows scripts of dependencies; NAME is the package.
        def permission = raise NotImplementedError

        # Whether the tool runs the project's own scripts separately, because the option disables them.
        def own_scripts? = !options&.ignore_scripts && silent?

        # Omitted kinds: "dev", "optional", "peer".
        def omit = options&.omit || []

        private

        def manager = project.manager
        # Whether the project lists dependencies that may run scripts, in this tool's own way.
        def lists? = false
        def package = project.package_json
      end
    end
  end
end
