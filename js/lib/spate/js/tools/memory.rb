# frozen_string_literal: true

require "spate/inputs"

module Spate
  module JS
    module Tools
      # Records that a tool has restored a project. The record of inputs (docs/inputs.md) covers the tool's input files,
      # options and results. While these are unchanged, there is nothing to do. The record is in the store, under the
      # project's real path, because Spate writes nothing to the tool's node_modules.
      class Memory
        %i[Members Sources].each { |name| autoload name, "spate/js/tools/memory/sources" }

        # Also used by Restore's records, whose keys are different.
        KIND = "js"
        FORMAT = "spate tool 2"
        # A variable with the tool, its program, its options and all relevant variables, compared as one value.
        RUN = "SPATE_TOOL_RUN"

        # The path of the record for a folder, or nil.
        def self.find(store, root)
          key = key(root)
          store.all_stores.map { |shelf| shelf.path(KIND, key) }.find { |path| File.file?(path) }
        rescue SystemCallError
          nil
        end

        def self.key(root) = Store.sha256("tool #{File.realpath(root)}")

        def initialize(tool, store)
          @tool = tool
          @store = store
          @root = tool.project.root
        end

        # Whether nothing has changed since #keep wrote the record.
        def hold?
          file = Memory.find(@store, @root) or return false

          same?(file, renew_to: file)
        rescue Error, ArgumentError, SystemCallError
          false
        end

        # Removes the last record, and records the tool's inputs before the tool reads them. If a file is edited while
        # the tool runs, the tool runs again next time.
        def begin
          return unless @store.writable_store

          Util::Files.remove(path)
          @sources = Sources.of(@tool)
          @before = @store.writable_store.temporary("tool")
          @sources = nil if @sources && Inputs.record(@before, entries, roots, env: environment)
        rescue Error, ArgumentError, SystemCallError
          @sources = nil
        end

        # Writes the record. Call after #begin. Returns false if the tool's own state is missing, an input was edited,
        # or nothing can be written. Without a record, the tool runs each time.
        def keep
          return false unless @sources && left?

          Util::Files.make_folder(File.dirname(path))
          return true if Inputs.record(path, entries + installed, roots, env: environment).nil? && same?(@before)

          Util::Files.remove(path)
          false
        rescue Error, ArgumentError, SystemCallError
          false
        ensure
          Util::Files.remove(@before) if @before
        end

        private

        def same?(record, **more) = !Inputs.check(record, roots, env: environment, **more).is_a?(Array)
        def entries = @sources + [[:environment, RUN]]

        def absolute(name) = File.expand_path(name, @root)
        def roots = { "project" => @root, "home" => @tool.env["HOME"] }.compact

        # Contains all variables, because the files may refer to any of them.
        def environment
          run = [FORMAT, @tool.project.tool, *options, *variables, *programs]
          @tool.env.merge(RUN => run.join("\n"))
        end

        def options = [@tool.omit, @tool.options&.ignore_scripts].map(&:inspect)
        def variables = @tool.env.select { |name, _| @tool.variable?(name) }.sort.map { |pair| pair.join("=") }

        # Identifies the programs of the tool and node, which may be replaced.
        def programs
          [*@tool.program.grep(%r{\A/}), Program.find("node", @tool.env["PATH"])].uniq.compact.flat_map do |path|
            stat = File.stat(path)
            [path, File.realpath(path), stat.size, stat.ino, stat.mtime.to_r]
          end
        end

        # Whether the tool's own state exists.
        def left? = @tool.states.all? { |name| File.file?(absolute(name)) }

        def path = @store.writable_store.path(KIND, Memory.key(@root))

        def installed
          @tool.states.map { |name| [:file, absolute(name)] } + Installed.entries(folders)
        end

        # Folders with packages.
        def folders = [@root, *Project::Workspace.members(@root)].product(@tool.folders).map { |pair| File.join(*pair) }

        # Finds words in a lockfile or package.json that may be paths: of folders and archives with packages, or of
        # patches.
        module Local
          WORD = /"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',()<>\[\]{}]+)/
          PROTOCOL = /(?:\A|[@:])(file|link|portal):(.+)\z/m
          FILES = %w[.patch .diff .tgz .tar .tar.gz].freeze
          PATHS = %w[./ ../ ~/ /].freeze
          # Protocols for links to the folder itself.
          LINKS = %w[link portal].freeze
          private_constant :WORD, :PROTOCOL, :FILES, :PATHS, :LINKS

          module_function

          # Yields a path, and whether the entire folder at that path is an input.
          def scan(text)
            text.scan(WORD) do |double, single, bare|
              (double || single || bare).split("#").each do |part|
                word = part.split("::").first.to_s.chomp(":").gsub(/%\h\h/) { |code| code[1..].hex.chr }.scrub("")
                path, whole = path(word, bare.nil?)
                yield path, whole if path && !path.include?("\0")
              end
            end
          end

          def path(word, quoted)
            kind, path = PROTOCOL.match(word)&.captures
            return [path, !LINKS.include?(kind)] if kind
            return [word, true] if quoted && word.start_with?(*PATHS)

            [word[/[^:]*\z/], true] if word.end_with?(*FILES)
          end
          private_class_method :path
        end

        # A tool's results, as entries of Inputs: the names in each folder with packages, each package.json, and the
        # targets of the project's own links. A file missing inside a package is not detected. The same applies to
        # packages that Spate restores.
        class Installed
          BIN = ".bin"
          MODULES = "node_modules"

          # folders: absolute, including missing ones.
          def self.entries(folders)
            new.tap { |found| folders.each { |folder| found.folder(folder) if File.directory?(folder) } }.entries
          end

          attr_reader :entries

          def initialize
            @entries = []
          end

          # Adds a folder with packages. links: whether to check the targets of links.
          def folder(path, links: true)
            @entries << [:listed, path]
            Dir.children(path).each do |name|
              inside = File.join(path, name)
              case File.lstat(inside).ftype
              when "link" then @entries << [:link, inside] if links
              when "directory" then directory(inside, name, links)
              end
            end
          end

          private

          def directory(path, name, links)
            return folder(path, links: links) if name.start_with?("@") || name == BIN
            return store(path) if name.start_with?(".")

            package(path)
          end

          def package(path)
            file = File.join(path, Project::PACKAGE)
            @entries << (File.file?(file) ? [:file, file] : [:absent, file])
            inside = File.join(path, MODULES)
            folder(inside) if File.directory?(inside)
          end

          # Adds packages in folders with their names, as created by pnpm and bun. Ignores other hidden folders.
          def store(path)
            found = Dir.children(path).map { |name| File.join(path, name, MODULES) }
                       .select { |inside| File.directory?(inside) }
            @entries << [:listed, path] if found.any?
            found.each { |inside| folder(inside, links: false) }
          end
        end
      end
    end
  end
end
