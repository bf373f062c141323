# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
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
