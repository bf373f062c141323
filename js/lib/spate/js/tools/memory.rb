# frozen_string_literal: true

require "spate/inputs"

module Spate
  module JS
    module Tools
      # That a tool was done here: a record of inputs (docs/inputs.md) over what it restores from, what decides how, and
      # what it leaves behind. While that holds, nothing is to do. It lies in the store, by the project's real path:
      # node_modules is the tool's own, with nothing of ours in it.
      class Memory
        autoload :Installed, "spate/js/tools/memory/installed"
        autoload :Local, "spate/js/tools/memory/local"
        autoload :Members, "spate/js/tools/memory/members"
        autoload :Sources, "spate/js/tools/memory/sources"

        # Beside Restore's records, under a key of its own.
        KIND = "js"
        FORMAT = "spate tool 2"
        # In which the tool, what runs it, its options and all variables that count are compared as one.
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

          same?(file, renew_to: file)
        rescue Error, ArgumentError, SystemCallError
          false
        end

        # Forgets what was, and takes down what the tool is about to read: whoever edits a file meanwhile has it run
        # again.
        def begin
          return unless @store.keeper

          Ground::Files.remove(path)
          @sources = Sources.of(@tool)
          @before = @store.keeper.temporary("tool")
          @sources = nil if @sources && Inputs.write(@before, entries, roots, env: told)
        rescue Error, ArgumentError, SystemCallError
          @sources = nil
        end

        # Remembers what is there now, after #begin. false where the tool's own state is not, something was edited, or
        # nothing may be written: then it is started each time.
        def keep
          return false unless @sources && left?

          Ground::Files.make_folder(File.dirname(path))
          return true if Inputs.write(path, entries + installed, roots, env: told).nil? && same?(@before)

          Ground::Files.remove(path)
          false
        rescue Error, ArgumentError, SystemCallError
          false
        ensure
          Ground::Files.remove(@before) if @before
        end

        private

        def same?(record, **more) = !Inputs.check(record, roots, env: told, **more).is_a?(Array)
        def entries = @sources + [[:environment, RUN]]

        def absolute(name) = File.expand_path(name, @root)
        def roots = { "project" => @root, "home" => @tool.env["HOME"] }.compact

        # All variables, since the files may name any.
        def told
          run = [FORMAT, @tool.project.tool, *options, *variables, *programs]
          @tool.env.merge(RUN => run.join("\n"))
        end

        def options = [@tool.omit, @tool.options&.ignore_scripts].map(&:inspect)
        def variables = @tool.env.select { |name, _| @tool.variable?(name) }.sort.map { |pair| pair.join("=") }

        # The tool and node, which may be other ones now.
        def programs
          [*@tool.program.grep(%r{\A/}), Program.find("node", @tool.env["PATH"])].uniq.compact.flat_map do |path|
            stat = File.stat(path)
            [path, File.realpath(path), stat.size, stat.ino, stat.mtime.to_r]
          end
        end

        # Whether the tool's own state is there.
        def left? = @tool.states.all? { |name| File.file?(absolute(name)) }

        def path = @store.keeper.path(KIND, Memory.key(@root))

        def installed
          @tool.states.map { |name| [:file, absolute(name)] } + Installed.entries(folders)
        end

        # Where packages lie.
        def folders = [@root, *Project::Workspace.members(@root)].product(@tool.folders).map { |pair| File.join(*pair) }
      end
    end
  end
end
