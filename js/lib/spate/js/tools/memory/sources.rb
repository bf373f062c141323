# frozen_string_literal: true

module Spate
  module JS
    module Tools
      class Memory
        # The input files of a tool, as entries of Inputs. Each tool has other rules, so this is a superset: an extra
        # file only makes the tool run again unnecessarily.
        class Sources
          # Files from which version managers select a node.
          CHOOSERS = %w[.tool-versions .node-version .nvmrc mise.toml .mise.toml].freeze
          # Files for the same purpose in the user's home.
          CHOOSERS_AT_HOME = %w[.cache/node/corepack/lastKnownGood.json .config/mise/config.toml .nodenv/version
                                .volta/tools/user/platform.json] + CHOOSERS
          # Maximum number of entries.
          LARGEST = 5_000
          VARIABLE = /\$\{?([A-Za-z_]\w*)/
          WORD = /[^\s"'=,:\[\]{}()]+/
          # A file that contains patterns between other words.
          DENO = %r{/deno\.jsonc?\z}

          # [entry], or nil if the entries cannot be determined.
          def self.of(tool) = new(tool).entries

          def initialize(tool)
            @tool = tool
            @root = tool.project.root
            @files = {}
            @folders = {}
            @variables = {}
          end

          def entries
            configurations.each { |path| configuration(path) }
            text(@tool.project.lockfile) { |content| named(content, @root) }
            package(@root)
            return if full?

            @files.map { |path, digest| entry(path, digest) } + @folders.keys.map { |path| [:listed, path] } +
              @variables.keys.map { |name| [:environment, name] }
          rescue Error, SystemCallError
            nil
          end

          # Records the names in a folder as an input.
          def list(folder) = File.directory?(folder) ? @folders[folder] = true : @files[folder] ||= nil

          # Records a file's content as an input, without parsing it.
          def file(path) = @files[path] ||= true

          # Records a folder that is or could be a package of the workspace.
          def package(folder)
            @tool.manifests.each do |name|
              path = File.join(folder, name)
              text(path) do |content|
                named(content, folder)
                Members.new(self, folder).of_folder if name == Project::PACKAGE
              end
            end
          end

          # Whether the limit is exceeded.
          def full? = @folders.size + @files.size > LARGEST

          private

          def entry(path, digest)
            return [:absent, path] unless digest

            digest == true ? [:file, path] : [:file, path, digest]
          end

          # Paths of the configuration files: in the project, in all folders above it, of the user and of the machine,
          # and all files that npm's configuration names.
          def configurations
            names = @tool.configs + CHOOSERS
            home = @tool.env["HOME"]
            found = above.product(names).map { |folder, name| File.join(folder, name) } + @tool.machine_configs
            found += (@tool.home_configs + CHOOSERS_AT_HOME).map { |name| File.expand_path(name, home) } if home
            (found + Configuration.load(root: @root, env: @tool.env).inputs).uniq
          end

          # The project's folder and all folders above it.
          def above
            found = [@root]
            found << File.dirname(found.last) until found.last == "/"
            found
          end

          # Records a file and everything to which it refers: variables, files, packages.
          def configuration(path)
            text(path) do |content|
              content.scan(VARIABLE) { |name,| @variables[name] = true }
              folder = File.dirname(path)
              content.scan(WORD) { |word| found(word, folder) { |named| package(named) } if word.match?(%r{[./]}) }
              Members.new(self, folder).of_words(content.scan(WORD)) if path.match?(DENO)
            end
          end

          # Yields the folder to which a word refers. Records a file, even one that does not exist yet.
          def found(word, folder)
            path = expand(word, folder) or return
            return yield path if File.directory?(path)
            return file(path) if File.file?(path) && !states.include?(path)

            list(path) if word.start_with?(".") && !states.include?(path)
          end

          def states = @states ||= @tool.states.map { |name| File.expand_path(name, @root) }

          # Expands a path. "~/" means the project for some tools, and the home for others.
          def expand(word, folder)
            return File.expand_path(word, folder) unless word.start_with?("~")

            bases = [@root, @tool.env["HOME"]].compact
            bases.map { |base| File.join(base, word.delete_prefix("~/")) }.find { |path| File.exist?(path) }
          end

          # Yields the content of a file, but only once.
          def text(path)
            return if @files.key?(path) && @files[path] != true
            return @files[path] = nil unless File.file?(path)

            content = Reading.bytes(path)
            @files[path] = Store.sha256(content)
            yield content.force_encoding(Encoding::UTF_8).scrub
          end

          # Records the paths that Local finds in the text of a file. folder: the file's folder.
          def named(content, folder)
            Local.scan(content) do |word, whole|
              found(word, folder) { |path| whole ? tree(path) : package(path) }
            end
          end

          # Records everything in a folder except installed packages.
          def tree(folder)
            return if @folders.key?(folder) || full?

            list(folder)
            package(folder)
            (Dir.children(folder) - Members::LEFT_OUT).each do |name|
              path = File.join(folder, name)
              case File.lstat(path).ftype
              when "directory" then tree(path)
              when "file" then file(path)
              end
            end
          end
        end

        # Finds where patterns place packages of a workspace, or allow new ones. Includes excluded folders.
        class Members
          PATTERN = /[*?{]/
          LEFT_OUT = %w[node_modules .git].freeze

          # sources: responds to #list and #package for a folder. folder: base of relative patterns.
          def initialize(sources, folder)
            @sources = sources
            @folder = folder
          end

          # Records the folders for the patterns in the folder's own files. Raises LockfileError.
          def of_folder = Project::Workspace.named(@folder).each { |pattern| call(pattern) }

          # Records the folders for each word that is a pattern, and ignores other words.
          def of_words(words) = words.grep(PATTERN).each { |word| call(word) }

          def call(pattern)
            return if pattern.start_with?("!")

            folders = [@folder]
            parts(pattern).each do |part|
              break folders = folders.flat_map { |folder| below(folder) } if part.match?(/\*\*|\{/)

              folders = folders.flat_map { |folder| step(folder, part) }
            end
            folders.each { |folder| @sources.package(folder) }
          end

          private

          # The parts of a pattern as interpreted by yarn and bun: relative to the folder, even with a leading "/".
          def parts(pattern) = pattern.split("/") - ["", "."]

          def step(folder, part)
            part.match?(PATTERN) ? inside(folder) : [File.expand_path(part, folder)]
          end

          def inside(folder)
            @sources.list(folder)
            return [] unless File.directory?(folder) && !@sources.full?

            (Dir.children(folder) - LEFT_OUT).map { |name| File.join(folder, name) }
                                             .select { |path| File.directory?(path) }
          end

          # A folder and all folders below it. Does not follow links.
          def below(folder)
            [folder] + inside(folder).reject { |path| File.symlink?(path) }.flat_map { |path| below(path) }
          end
        end
      end
    end
  end
end
