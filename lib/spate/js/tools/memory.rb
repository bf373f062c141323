# frozen_string_literal: true

require_relative "../../inputs"

module Spate
  module JS
    module Tools
      # That a tool was done here: a record of inputs (docs/inputs.md) over what it restores from, what decides how, and
      # what it leaves behind. While that holds, nothing is to do. It lies in the store, by the project's real path:
      # node_modules is the tool's own, with nothing of ours in it.
      class Memory
        # Beside Restore's records, under a key of its own.
        KIND = "js"
        FORMAT = "spate tool 1"
        # In which the tool, its options and all variables that count are compared as one.
        RUN = "SPATE_TOOL_RUN"

        # Path of what is remembered of a folder, nil where nothing is.
        def self.find(store, root)
          key = key(root)
          store.shelves.map { |shelf| shelf.path(KIND, key) }.find { |path| File.file?(path) }
        rescue SystemCallError
          nil
        end

        def self.key(root) = Store.sha256("tool #{File.realpath(root)}")

        def initialize(tool, store)
          @tool = tool
          @store = store
          @root = tool.project.root
        end

        # Whether nothing has changed since `keep`.
        def hold?
          file = Memory.find(@store, @root) or return false

          !Inputs.check(file, roots, env: told, renew_to: file).is_a?(Array)
        rescue ArgumentError, SystemCallError
          false
        end

        # Forgets what was, before the tool runs: whoever edits a file meanwhile has it run again.
        def begin
          @read = read
          Ground::Files.remove(path) if @store.keeper
        end

        # Remembers what is there now, after #begin. false where the tool's own state is not, something was edited, or
        # nothing may be written: then it is started each time.
        def keep
          return false unless @store.keeper && @read && @read == read && left?

          Ground::Files.make_folder(File.dirname(path))
          Inputs.write(path, inputs, roots, env: told).nil?
        rescue ArgumentError, SystemCallError
          false
        end

        private

        def absolute(name) = File.expand_path(name, @root)
        def roots = { "project" => @root, "home" => @tool.env["HOME"] }.compact

        def told = { RUN => [FORMAT, @tool.project.tool, *options, *variables].join("\n") }
        def options = [@tool.omit, @tool.options&.ignore_scripts].map(&:inspect)

        def variables = @tool.env.select { |name, _| @tool.variable?(name) }.sort.map { |pair| pair.join("=") }

        # Whether the tool's own state is there.
        def left? = @tool.states.all? { |name| File.file?(absolute(name)) }

        def path = @store.keeper.path(KIND, Memory.key(@root))

        # { file => its digest, nil where there is none }; nil where one cannot be read
        def read
          files = [@tool.project.lockfile, *packages, *@tool.configs.map { |name| absolute(name) }, *home]
          files.to_h { |file| [file, File.file?(file) ? Store.sha256(File.binread(file)) : nil] }
        rescue SystemCallError
          nil
        end

        def inputs
          @read.map { |file, digest| digest ? [:file, file, digest] : [:absent, file] } +
            @tool.states.map { |name| [:file, absolute(name)] } +
            listed.map { |folder| [:listed, folder] } + [[:environment, RUN]]
        end

        def home
          home = @tool.env["HOME"] or return []
          @tool.home_configs.map { |name| File.expand_path(name, home) }
        end

        # Each package.json of the workspace.
        def packages = [@root, *members].map { |folder| File.join(folder, Project::PACKAGE) }
        def members = Project::Workspace.members(@root)

        # Where packages lie, with those of scopes; and where another member of the workspace would appear.
        def listed
          places = @tool.folders.flat_map { |name| [absolute(name), *Dir.glob("#{absolute(name)}/@*")] }
          (places + members.map { |folder| File.dirname(folder) }).uniq.select { |folder| File.directory?(folder) }
        end
      end
    end
  end
end
