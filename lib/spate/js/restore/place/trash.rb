# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # What was in the way, or does not belong. It is moved into the store's tmp and deleted at the very end, because
        # deleting many files slows the making of others.
        class Trash
          def initialize(store)
            @store = store
            @aside = []
          end

          # Takes a path away; one that is not there is fine. A symbolic link goes itself, never what it leads to.
          def take(path)
            File.rename(path, aside = @store.temporary("trash"))
            @aside << aside
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue Errno::EXDEV, Errno::EROFS, Errno::EACCES, Errno::EPERM, Store::Error
            remove(path)
          end

          def empty
            @aside.each { |path| Store::Sweep.remove(path) }
            @aside.clear
          end

          private

          def remove(path)
            Store::Sweep.remove(path)
            raise Store::Error.for(Errno::EACCES::Errno, path) if File.symlink?(path) || File.exist?(path)
          end
        end
      end
    end
  end
end
