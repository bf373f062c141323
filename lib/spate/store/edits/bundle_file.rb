# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # One file of a bundle. root: the bundle's; inside: the path relative to it.
      BundleFile = Struct.new(:root, :inside, keyword_init: true) do
        def file = File.join(root, inside)
        # "gems/rake-13.0.6/lib/rake.rb" -> the folder named after the package, and the path in it. Extensions are two
        # folders deeper: extensions/<platform>/<abi>/<full name>.
        def package = inside.split("/")[depth]
        def path = inside.split("/").drop(depth + 1).join("/")

        # The file at an absolute path.
        def self.at(root, path) = new(root: root, inside: path.delete_prefix("#{root}/"))

        # Atomically replaces the file by a link to `fresh`, or by a copy if the file system cannot link it or with
        # `copy`.
        def put(fresh, copy: false)
          with_temporary do |temporary|
            next copy_of(fresh, temporary) if copy

            Util::Files.link(fresh, temporary) { copy_of(fresh, temporary) }
          end
        end

        # Gives the file a separate inode with the same content, mode and time. Returns its size in bytes.
        def detach
          with_temporary { |temporary| copy_of(file, temporary) }
        end

        private

        def copy_of(source, target)
          stat = File.stat(source)
          Util::Files.copy(source, target, mode: stat.mode & 0o777, time: stat.mtime)
        end

        def depth
          case inside
          when %r{\Abundler/gems/} then 2
          when %r{\Aextensions/} then 3
          else 1
          end
        end

        # The temporary name is always the same, so that the next run overwrites a file left by a killed process, and
        # not longer than the file's own name may be. Only one command at a time writes to a bundle.
        def with_temporary(&)
          temporary = File.join(File.dirname(file), ".spate-#{Store.sha256(inside)[0, 12]}")
          File.unlink(temporary) if File.exist?(temporary)
          answer = Util::Files.replace(file, temporary, &)
          File.unlink(temporary) if File.exist?(temporary) # rename does nothing if both names are the same file
          answer
        end
      end
    end
  end
end
