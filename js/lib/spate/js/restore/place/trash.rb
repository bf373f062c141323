# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # What was in the way, or does not belong. It is moved into the store's tmp, or below the node_modules that it
        # is in where that is another file system, and deleted at the very end: until then all can be put back, and
        # deleting many files slows the making of others.
        class Trash
          # What the name of a folder in node_modules begins with; one that stays was left by a kill.
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

          # Takes a path away; one that is not there is fine. A symbolic link goes itself, never what it leads to.
          def take(path)
            return if @folders.value?(path) # no stray

            move(path, @folders[nil] ||= make(@store.temporary("trash")))
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue *UNABLE
            take_within(path)
          end

          # To be told of what is about to be made in a place that is empty.
          def made(path) = @log << -> { take(path) }

          # Takes away all that is in a folder but one name; what comes into it then counts as made.
          def clear(folder, keep)
            return unless Store::Object.lstat(folder)&.directory?

            # What says that a package is there goes first.
            [Project::PACKAGE, *(Dir.children(folder) - [keep])].each { |name| take("#{folder}/#{name}") }
            @log << -> { clear(folder, keep) }
          end

          # All that was taken is in its place again, and what was made is not.
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

          def make(folder) = Ground::Files.make_folder(folder)

          def move(path, folder)
            File.rename(path, aside = "#{folder}/#{@count += 1}")
            @log << -> { return_to(path, aside) }
          end

          def take_within(path)
            modules = modules(path) or return remove(path)
            move(path, @folders[modules] ||= make(Ground::Files.beside("#{modules}#{ASIDE}")))
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

          # Somebody else may have made what a slot lacked.
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
