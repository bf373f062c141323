# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # Whether nobody but this user and root can have written a file: it is theirs, and so is every folder above it.
        # In a folder that anybody may write, as /tmp, each may take away only what is his own.
        module OwnFile
          OTHERS = 0o022
          STICKY = 0o1000

          module_function

          # The path by which it can be read, nil where it is none. path: absolute. Links in the folders above it may
          # be others', so the answer has none; one in the file's own place is not followed.
          def find(path)
            folder = File.realpath(File.dirname(path))
            stat = File.lstat(found = File.join(folder, File.basename(path)))
            found if stat.file? && own?(stat) && above(folder).all? { |each| own?(File.lstat(each)) }
          rescue SystemCallError
            nil
          end

          def own?(stat)
            [Process.euid, 0].include?(stat.uid) &&
              (stat.mode & OTHERS == 0 || (stat.directory? && stat.mode & STICKY != 0))
          end

          # A folder, and all around it.
          def above(folder)
            found = [folder]
            found << (folder = File.dirname(folder)) until folder == "/"
            found
          end
        end
      end
    end
  end
end
