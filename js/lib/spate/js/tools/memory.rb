# frozen_string_literal: true

require "spate/inputs"

module Spate
  module JS
    module Tools
      # Remembers that a tool has restored a project: a record of inputs (docs/inputs.md) over its input files, its
      # options and its results. While they are unchanged, there is nothing to do. It is in the store, by the project's
      # real path: Spate writes nothing into the tool's node_modules.
      class Memory
        autoload :Installed, "spate/js/tools/memory/installed"
        autoload :Local, "spate/js/tools/memory/local"
        autoload :Members, "spate/js/tools/memory/members"
        autoload :Sources, "spate/js/tools/memory/sources"

        # Beside Restore's records, under a key of its own.
        KIND = "js"
        FORMAT = "spate tool 2"
        # A variable for the tool, its program, its options and all variables that count, compared as one value.
        RUN = "SPATE_TOOL_RUN"

        # Path of the record for a folder, or nil.
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

        # Whether nothing has changed since #keep.
        def hold?
          file = Memory.find(@store, @root) or return false

          same?(file, renew_to: file)
        rescue Error, ArgumentError, SystemCallError
          false
        end

        # Forgets the last record and records the tool's inputs before it reads them: a file that is edited meanwhile
        # starts it again the next time.
        def begin
          return unless @store.keeper

          Util::Files.remove(path)
          @sources = Sources.of(@tool)
          @before = @store.keeper.temporary("tool")
          @sources = nil if @sources && Inputs.write(@before, entries, roots, env: told)
        rescue Error, ArgumentError, SystemCallError
          @sources = nil
        end

        # Writes the record, after #begin. false if the tool's own state is missing, an input was edited, or nothing can
        # be written: then it is started each time.
        def keep
          return false unless @sources && left?

          Util::Files.make_folder(File.dirname(path))
          return true if Inputs.write(path, entries + installed, roots, env: told).nil? && same?(@before)

          Util::Files.remove(path)
          false
        rescue Error, ArgumentError, SystemCallError
          false
        ensure
          Util::Files.remove(@before) if @before
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

        # Folders with packages.
        def folders = [@root, *Project::Workspace.members(@root)].product(@tool.folders).map { |pair| File.join(*pair) }
      end
    end
  end
end
