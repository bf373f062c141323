# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # One file of a bundle. bundle: a Bundle; tree: one of its trees, or nil; inside: relative to the bundle's root.
      Place = Struct.new(:bundle, :tree, :inside, keyword_init: true) do
        def root = bundle.root
        def file = File.join(root, inside)
        def folder = File.dirname(file)
        # "gems/rake-13.0.6/lib/rake.rb" -> the folder that names the package, and the path in it. Extensions lie
        # two folders deeper: extensions/<platform>/<abi>/<full name>.
        def package = inside.split("/")[depth]
        def path = inside.split("/").drop(depth + 1).join("/")

        # Puts a link of `fresh` here, atomically; a copy where the file system cannot link it.
        def put(fresh)
          with_temporary do |temporary|
            File.link(fresh, temporary)
          rescue Errno::EXDEV, Errno::EPERM, Errno::EMLINK, Errno::ENOTSUP
            Place.copy(fresh, temporary)
          end
        end

        # The same content, mode and time on an inode of its own. Answers its bytes.
        def detach
          with_temporary { |temporary| Place.copy(file, temporary) }
        end

        private

        def depth
          case inside
          when %r{\Abundler/gems/} then 2
          when %r{\Aextensions/} then 3
          else 1
          end
        end

        # The folder keeps its time: it may be the evidence for another edit.
        def with_temporary
          stat = File.stat(folder)
          temporary = File.join(folder, ".spate-#{Random.urandom(6).unpack1("H*")}") # not longer than the file's may be
          answer = yield temporary
          File.rename(temporary, file)
          File.utime(stat.atime, stat.mtime, folder)
          answer
        ensure
          File.unlink(temporary) if temporary && File.exist?(temporary)
        end
      end

      # Copies content, mode and modification time; answers the bytes copied.
      def Place.copy(source, target)
        stat = File.stat(source)
        bytes = IO.copy_stream(source, target)
        File.chmod(stat.mode & 0o777, target)
        File.utime(stat.atime, stat.mtime, target)
        bytes
      end
    end
  end
end
