# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # Whether only this user and root can have written a file: they own it and every folder above it. In a sticky
        # folder such as /tmp, users can remove only their own files.
        module OwnFile
          OTHERS = 0o022
          STICKY = 0o1000

          module_function

          # The path to read it by, nil if it is not safe. path: absolute. Links in the folders above it may belong to
          # others, so the result has none; if the file itself is a link, it is not followed.
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

          # A folder and all folders above it.
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
