# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # A file of a bundle. root: the bundle's root. inside: the path relative to the root.
      BundleFile = Struct.new(:root, :inside, keyword_init: true) do
        def file = File.join(root, inside)
        # The full name of the package, and the path in its folder: "gems/rake-13.0.6/lib/rake.rb" -> "rake-13.0.6" and
        # "lib/rake.rb". Extensions are two folders deeper: extensions/<platform>/<abi>/<full name>.
        def package = inside.split("/")[depth]
        def path = inside.split("/").drop(depth + 1).join("/")

        # The BundleFile at an absolute path.
        def self.at(root, path) = new(root: root, inside: path.delete_prefix("#{root}/"))

        # Atomically replaces the file with a link to `fresh`. Uses a copy with `copy: true`, or if the file system
        # cannot link it.
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

        # Uses the same temporary name each time, so that the next run overwrites a file left by a killed process. The
        # name is short, since file systems limit its length. Only one command at a time writes to a bundle.
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
