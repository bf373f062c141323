# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Finds files in a project's node_modules that do not belong there. Checks only folders with entries of the
        # plan. Does not follow links.
        class Strays
          MODULES = "node_modules"
          # Hidden names in the top folder that package managers created. Caches of other programs are kept, as by npm
          # and pnpm.
          THEIRS = /\A\.(?:bin|pnpm|package-lock\.json.*|modules\.yaml.*|pnpm-workspace-state.*|yarn-.*|yarn_integrity|
                      store|ignored.*|spate-old.*)\z/x

          # plan: Plan. entries: paths of links, bins and state files. bundled: accepts a tree's path and returns the
          # names that its archive contains in its node_modules.
          def initialize(plan, entries, &bundled)
            @root = plan.root
            @projects = plan.projects
            @trees = plan.trees.reject { |tree| tree.path.start_with?("/") }.to_h { |tree| [tree.path, true] }
            @leaves = entries.to_h { |path| [path, true] }
            @above = {}
            [*@trees.keys, *@leaves.keys].each { |path| note(File.dirname(path)) }
            plan.folders&.each { |path| note(path) }
            @bundled = bundled
          end

          # Returns paths relative to the root. Raises FolderError.
          def call
            tops = @projects.map { |folder| folder == "." ? MODULES : "#{folder}/#{MODULES}" }
            found = tops.flat_map { |top| look(top, top: true) }
            found + @trees.keys.flat_map { |path| nested(path) }
          end

          private

          def note(path)
            until path == "." || path == "/" || @above[path]
              @above[path] = true
              path = File.dirname(path)
            end
          end

          def look(folder, top: false)
            return [] unless folder?(folder)

            Dir.children(File.join(@root, folder)).sort.flat_map do |name|
              path = "#{folder}/#{name}"
              next [] if @trees[path] || @leaves[path] || (top && name.start_with?(".") && !THEIRS.match?(name))

              @above[path] ? look(path) : [path]
            end
          end

          # Strays in the node_modules folder inside a package. Packages that its archive contains are not strays.
          def nested(tree)
            folder = "#{tree}/#{MODULES}"
            return [] unless folder?(folder)

            own = @bundled.call(tree)
            return own.empty? ? [folder] : [] unless @above[folder]

            look(folder).reject { |path| own.any? { |name| inside?(path, "#{folder}/#{name}") } }
          end

          def inside?(path, folder) = path == folder || path.start_with?("#{folder}/") || folder.start_with?("#{path}/")

          # Whether a path and all above it are real folders.
          def folder?(path)
            @folders ||= { "." => true }
            @folders.fetch(path) do
              stat = Store::Object.lstat(File.join(@root, path)) if folder?(File.dirname(path))
              @folders[path] = !stat.nil? && stat.directory?
            end
          end
        end

        # Removes obstacles and strays by moving them to the store's tmp, or, on another file system, to a folder in the
        # same node_modules. They are deleted at the very end: until then all changes can be undone, and deleting many
        # files would slow down creating others.
        class Trash
          # Prefix of the trash folder in a node_modules. A leftover folder shows that a restore was killed.
          ASIDE = ".spate-old"
          MODULES = "/node_modules/"
          UNABLE = [Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Errno::EBUSY, Store::Error].freeze

          # root: the project's folder.
          def initialize(store, root)
            @store = store
            @root = root
            @count = 0
            @new = [] # folders that did not exist before, each with a trailing "/"
            @log = [] # lambdas that each undo one change
            # { node_modules from which files were taken => folder to which they were moved }; the key nil is for the
            # store's tmp
            @folders = {}
          end

          # Removes a path, which may be missing. Removes a symbolic link itself, never its target.
          def take(path)
            return if @folders.value?(path) # a trash folder itself

            move(path, @folders[nil] ||= make(@store.temporary("trash")))
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue *UNABLE
            take_within(path)
          end

          # Call this before creating something at a path that does not exist.
          def made(path)
            @log << -> { take(path) } unless @new.any? { |folder| path.start_with?(folder) }
          end

          # The same for a folder. What is created in it later is removed with it.
          def made_folder(path)
            made(path)
            @new << "#{path}/"
          end

          # Removes everything in a folder except one name. #put_back also removes what was created in the folder later.
          def clear(folder, keep)
            return unless Store::Object.lstat(folder)&.directory?

            # The package.json, which marks the package as complete, is removed first.
            [Project::PACKAGE, *(Dir.children(folder) - [keep])].each { |name| take("#{folder}/#{name}") }
            @log << -> { clear(folder, keep) }
          end

          # Undoes all changes: restores what was taken and removes what was created.
          def put_back
            log = @log
            @log = []
            @new = []
            log.reverse_each(&:call)
          end

          def empty
            @folders.each_value { |path| Store::Sweep.remove(path) }
            [@folders, @log, @new].each(&:clear)
          end

          private

          def make(folder) = Util::Files.make_folder(folder)

          def move(path, folder)
            File.rename(path, aside = "#{folder}/#{@count += 1}")
            @log << -> { return_to(path, aside) }
          end

          def take_within(path)
            modules = modules(path) or return remove(path)
            move(path, @folders[modules] ||= make(Util::Files.beside("#{modules}#{ASIDE}")))
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue *UNABLE
            remove(path)
          end

          # The first node_modules in a path below the project, with a trailing "/"; nil if there is none.
          def modules(path)
            at = path.index(MODULES, @root.size) if path.start_with?("#{@root}/")
            path[0, at + MODULES.size] if at
          end

          # Does nothing if the path exists: another process may have created a missing slot in the meantime.
          def return_to(path, aside)
            return if Store::Object.lstat(path)

            make(File.dirname(path))
            File.rename(aside, path)
          rescue SystemCallError
            nil # the remaining changes may still be undone
          end

          def remove(path)
            Native.remove_tree(path)
          rescue Native::Error => e
            raise SystemCallError.new("@ remove - #{e.member}", e.errno) # in the format of Ruby's own errors
          end
        end
      end
    end
  end
end
