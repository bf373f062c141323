# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Finds files in a project's node_modules that do not belong there. Checks only folders of that name, and below
        # them those in which the plan has something. Links are not followed.
        class Strays
          MODULES = "node_modules"
          # Hidden names at the top that belong to package managers. Caches of other programs stay, as with them.
          THEIRS = /\A\.(?:bin|pnpm|package-lock\.json.*|modules\.yaml.*|pnpm-workspace-state.*|yarn-.*|yarn_integrity|
                      store|ignored.*|spate-old.*)\z/x

          # plan: Plan; entries: paths of links, bins and state files. bundled: answers for a tree's path which names
          # are in its node_modules by its archive.
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

          # Paths relative to the root. Raises FolderError.
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

          # Strays beside a tree's own nested packages.
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

        # Removes obstacles and strays by moving them into the store's tmp, or, on another file system, below the
        # node_modules they are in. They are deleted at the very end: until then all can be put back, and deleting many
        # files would slow down creating others.
        class Trash
          # Prefix of such a folder in node_modules; a leftover means that a restore was killed.
          ASIDE = ".spate-old"
          MODULES = "/node_modules/"
          UNABLE = [Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Errno::EBUSY, Store::Error].freeze

          # root: of the project.
          def initialize(store, root)
            @store = store
            @root = root
            @count = 0
            @log = [] # what puts one thing back each
            @folders = {} # where it was taken from, nil for anywhere => the folder that it was moved into
          end

          # Removes a path; a missing one is fine. Removes a symbolic link itself, never its target.
          def take(path)
            return if @folders.value?(path) # no stray

            move(path, @folders[nil] ||= make(@store.temporary("trash")))
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue *UNABLE
            take_within(path)
          end

          # Call before something is created in an empty place.
          def made(path) = @log << -> { take(path) }

          # Removes all in a folder but one name. Names created in it later are removed by #put_back.
          def clear(folder, keep)
            return unless Store::Object.lstat(folder)&.directory?

            # The package's marker goes first.
            [Project::PACKAGE, *(Dir.children(folder) - [keep])].each { |name| take("#{folder}/#{name}") }
            @log << -> { clear(folder, keep) }
          end

          # Restores all that was taken and removes all that was made.
          def put_back
            log = @log
            @log = []
            log.reverse_each(&:call)
          end

          def empty
            @folders.each_value { |path| Store::Sweep.remove(path) }
            [@folders, @log].each(&:clear)
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

          # The first node_modules on the way from the project to a path, with its "/"; nil outside of it.
          def modules(path)
            at = path.index(MODULES, @root.size) if path.start_with?("#{@root}/")
            path[0, at + MODULES.size] if at
          end

          # Another process may have made a missing slot meanwhile.
          def return_to(path, aside)
            return if Store::Object.lstat(path)

            make(File.dirname(path))
            File.rename(aside, path)
          rescue SystemCallError
            nil # the next one may do
          end

          def remove(path)
            Native.remove_tree(path)
          rescue Native::Error => e
            raise SystemCallError.new("@ remove - #{e.member}", e.errno) # as Ruby says it
          end
        end
      end
    end
  end
end
