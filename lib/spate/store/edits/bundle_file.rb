# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # One file of a bundle. root: the bundle's; inside: the path relative to it.
      BundleFile = Struct.new(:root, :inside, keyword_init: true) do
        def file = File.join(root, inside)
        # "gems/rake-13.0.6/lib/rake.rb" -> the folder that names the package, and the path in it. Extensions lie
        # two folders deeper: extensions/<platform>/<abi>/<full name>.
        def package = inside.split("/")[depth]
        def path = inside.split("/").drop(depth + 1).join("/")

        # The file at an absolute path.
        def self.at(root, path) = new(root: root, inside: path.delete_prefix("#{root}/"))

        # Puts a link of `fresh` here, atomically; a copy where the file system cannot link it, or with `copy`.
        def put(fresh, copy: false)
          with_temporary do |temporary|
            next copy_of(fresh, temporary) if copy

            Ground::Files.link(fresh, temporary) { copy_of(fresh, temporary) }
          end
        end

        # The same content, mode and time on an inode of its own. Answers its bytes.
        def detach
          with_temporary { |temporary| copy_of(file, temporary) }
        end

        private

        def copy_of(source, target)
          stat = File.stat(source)
          Ground::Files.copy(source, target, mode: stat.mode & 0o777, time: stat.mtime)
        end

        def depth
          case inside
          when %r{\Abundler/gems/} then 2
          when %r{\Aextensions/} then 3
          else 1
          end
        end

        # Always the same name, not longer than the file's may be: whoever comes after a kill takes it over, for the
        # file is then as it was. Only one command at a time writes into a bundle.
        def with_temporary(&)
          temporary = File.join(File.dirname(file), ".spate-#{Store.sha256(inside)[0, 12]}")
          File.unlink(temporary) if File.exist?(temporary)
          answer = Ground::Files.replace(file, temporary, &)
          File.unlink(temporary) if File.exist?(temporary) # of two names of one file, rename leaves both
          answer
        end
      end
    end
  end
end
