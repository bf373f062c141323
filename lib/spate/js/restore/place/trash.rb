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

          # root: of the project.
          def initialize(store, root)
            @store = store
            @root = root
            @log = [] # [path, where it is now; nil: it was made]
            @asides = {}
            @folders = {}
          end

          # Takes a path away; one that is not there is fine. A symbolic link goes itself, never what it leads to.
          def take(path)
            return if @folders.value?(path) # no stray

            move(path, @store.temporary("trash"))
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Errno::EBUSY, Store::Error
            take_within(path)
          end

          # To be told of what is about to be made in a place that is empty.
          def made(path) = @log << [path, nil]

          # All that was taken is in its place again, and what was made is not.
          def put_back
            log = @log
            @log = []
            log.reverse_each { |path, aside| aside ? return_to(path, aside) : take(path) }
          end

          def empty
            [*@asides.keys, *@folders.each_value].each { |path| Store::Sweep.remove(path) }
            [@asides, @folders, @log].each(&:clear)
          end

          private

          def move(path, aside)
            File.rename(path, aside)
            @asides[aside] = true
            @log << [path, aside]
          end

          def take_within(path)
            folder = folder_for(path)
            folder ? move(path, Ground::Files.beside(File.join(folder, "old"))) : remove(path)
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Errno::EBUSY
            remove(path)
          end

          # nil outside of the project.
          def folder_for(path)
            at = path.index(MODULES, @root.size) if path.start_with?("#{@root}/")
            modules = path[0, at + MODULES.size] if at
            @folders[modules] ||= Ground::Files.make_folder(Ground::Files.beside("#{modules}#{ASIDE}")) if modules
          end

          # Somebody else may have made what a slot lacked.
          def return_to(path, aside)
            return if Store::Object.lstat(path)

            Ground::Files.make_folder(File.dirname(path))
            File.rename(aside, path)
            @asides.delete(aside)
          end

          def remove(path)
            Store::Sweep.remove(path)
            FileUtils.rm_r(path) if File.symlink?(path) || File.exist?(path) # says why
          end
        end
      end
    end
  end
end
