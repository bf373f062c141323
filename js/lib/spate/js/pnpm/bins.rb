# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Determines which folders contain executables of which packages. A project's folder contains those of its
      # dependencies (and of packages hoisted to it), a package's own folder those of the package and its dependencies,
      # and the virtual store's folder those of hoisted packages.
      class Bins
        autoload :Style, "spate/js/pnpm/bins/style"

        # planning: Planning.
        def initialize(planning)
          @lockfile = planning.lockfile
          @selection = planning.selection
          @layout = planning.layout
          @links = planning.links
          @settings = planning.settings
          @patches = planning.workspace.patches
          @builds = planning.scripts? || planning.workspace.patch_files.any?
        end

        # [BinFolder, ...]
        def folders = [*projects, *slots, *hoisted]

        private

        def projects
          @lockfile.importers.each_key.filter_map do |id|
            named = @links.direct(id).to_a
            others = (id == "." ? publicly_hoisted : []) + peers(id)
            others.reject! { |name, path| named.include?([name, path]) }
            packages = (named + others).uniq
            folder("#{@links.modules(id)}/.bin", packages, others.map(&:last)) unless packages.empty?
          end
        end

        def publicly_hoisted
          @links.hoisting.select { |each| each.kind == "public" }.map { |each| [each.name, @links.hoisted(each)] }
        end

        # Peers that pnpm 12 installed for a project's dependencies, but that the project does not name itself.
        def peers(id)
          return [] unless @settings.major >= 12 && @settings["autoInstallPeers"]

          @selection.direct(@lockfile.importers[id]).each_value.flat_map do |key|
            snapshot = @selection.installed[key] or next []
            wanted = required_peers(snapshot.entry)
            @links.needs(snapshot).filter_map do |name, peer|
              [name, @layout.path(peer)] if wanted.include?(name) && bin?(peer)
            end
          end.uniq
        end

        def required_peers(entry)
          optional = entry["peerDependenciesMeta"] || {}
          (entry["peerDependencies"] || {}).keys.reject do |name|
            optional[name].is_a?(Hash) && optional[name]["optional"]
          end
        end

        def slots
          @selection.installed.each_value.filter_map do |each|
            packages = @links.needs(each).filter_map { |name, child| [name, @layout.path(child)] if bin?(child) }
            packages << [each.name, @layout.path(each)] if bin?(each) && own?
            inside = bundled(each)
            next if packages.empty? && inside.empty?

            # Before pnpm 12, executables of bundled packages replaced others with the same name.
            yielding = inside.any? && @settings.major < 12 ? packages.map(&:last) : []
            folder("#{@layout.path(each)}/node_modules/.bin", packages + inside, yielding,
                   shared: @layout.shared?(each), of: each)
          end
        end

        # Whether a package gets links to its own executables: up to pnpm 11 one that is built or patched; pnpm looks
        # for these only if scripts may run, or the project has patches.
        def own? = @settings.major > 11 || @builds

        # All packages bundled in the package's own archive, whether listed in the lockfile or not.
        def bundled(snapshot)
          snapshot.entry["bundledDependencies"].nil? ? [] : [[nil, "#{@layout.path(snapshot)}/node_modules"]]
        end

        def hoisted
          packages = @links.hoisting.filter_map do |each|
            next unless each.kind == "private" && each.snapshot && bin?(each.snapshot)

            [each.name, @layout.path(each.snapshot)]
          end
          packages.empty? ? [] : [folder("#{@layout.folder}/node_modules/.bin", packages)]
        end

        def bin?(snapshot) = snapshot.entry["hasBin"] == true

        # shared: whether projects share the folder, so that it must not contain paths of this project.
        def folder(path, packages, yielding = [], shared: false, of: nil)
          extra = shared && node_path ? Style::OWN : node_path
          own = @layout.path(of) if of
          built = own if of && @settings.major < 12 && !@patches.key?(of.key)
          style = Style.new(extra, @settings["preferSymlinkedExecutables"], yielding, !@layout.shared.nil?,
                            @settings.major, built, own)
          BinFolder.new(path, packages, style)
        end

        # The folder of hoisted packages, for programs that do not find them in parent folders.
        def node_path
          "#{@layout.folder}/node_modules" if @settings["extendNodePath"] && @settings.hoist_pattern&.any?
        end

        # A shell script that runs a package's executable with the interpreter of its shebang line, so that the file
        # needs no x bit, and sets NODE_PATH to the hoisted packages. It may be called through a symbolic link. The
        # commands it uses itself are not looked up in PATH, where the project's own executables come first.
        class Shim
          HEAD = <<~'SH'
            #!/bin/sh
            self=$0
            case $self in */*) ;; *) self=./$self ;; esac
            hops=0
            while [ -L "$self" ] && [ $hops -lt 40 ]; do
              hops=$((hops + 1))
              link=$(command -p readlink "$self") || exit
              case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
            done
            here=$(CDPATH= cd -P -- "${self%/*}" && pwd -P) || exit
          SH
          # pnpm reads this line.
          MARK = "# cmd-shim-target="
          BY_EXTENSION = { ".js" => ["node"], ".cjs" => ["node"], ".mjs" => ["node"], ".cmd" => %w[cmd /C],
                           ".bat" => %w[cmd /C], ".ps1" => ["pwsh"], ".sh" => ["sh"] }.freeze

          # target: relative to the shim's folder. shebang: the target's first line, or nil. node_paths: relative to the
          # shim's folder.
          def initialize(target, shebang, node_paths)
            @target = target
            @shebang = shebang
            @node_paths = node_paths
          end

          def text = [HEAD, node_path, run, MARK, @target, "\n"].join

          private

          def node_path
            return if @node_paths.empty?

            "NODE_PATH=#{@node_paths.map { |path| here(path) }.join(":")}${NODE_PATH:+:$NODE_PATH}\nexport NODE_PATH\n"
          end

          def run
            program, *arguments = interpreter
            rest = [*arguments.map { |word| quoted(word) }, here(@target), "\"$@\""].join(" ")
            return "exec #{rest}\n" unless program
            return "exec #{quoted(program)} #{rest}\n" if program.include?("/")

            "[ -x #{here(program)} ] && exec #{here(program)} #{rest}\nexec #{quoted(program)} #{rest}\n"
          end

          # [program, arguments...]; empty if the file itself is executed.
          def interpreter
            words = @shebang.to_s.delete_prefix("#!").split
            words.shift if words.first == "/usr/bin/env"
            words.shift if words.first == "-S"
            words.empty? ? BY_EXTENSION.fetch(File.extname(@target), []) : words
          end

          def here(path) = "\"$here\"/#{quoted(path)}"
          def quoted(word) = word.match?(%r{\A[A-Za-z0-9_@%+=:,./-]+\z}) ? word : "'#{word.gsub("'", "'\\\\''")}'"
        end
      end
    end
  end
end
