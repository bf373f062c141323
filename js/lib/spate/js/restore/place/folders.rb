# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Creates the folders for a plan's paths. Paths come from lockfiles and package.json files, and existing files
        # are untrusted: a restore only writes to node_modules folders in the project, and never through a link.
        class Folders
          MODULES = "node_modules"

          # Whether a project has a node_modules. Raises FolderError if it is a link.
          def self.refuse_link(root)
            stat = File.lstat(path = File.join(root, MODULES))
            return true if stat.directory?

            raise FolderError.at(path, stat, "a folder")
          rescue Errno::ENOENT
            false
          end

          # root: absolute. trash: the Trash to which obstacles are moved.
          def initialize(root, trash)
            @root = root
            @trash = trash
            @states = { "." => :folder } # path => :folder or :absent
          end

          # Checks that each part of the path above its last name is a folder or does not exist. Raises FolderError,
          # UnsafePathError.
          def clear(path)
            Package::Name.check_path(path, "plan")
            raise FolderError, "#{path} is not in a node_modules folder" unless inside?(path)

            look(File.dirname(path))
          end

          # Checks a project's folder and its node_modules, part by part. Raises FolderError.
          def check(project)
            look(project == "." ? MODULES : "#{project}/#{MODULES}")
          end

          # Whether a path and all folders above it are real folders. Changes nothing.
          def real?(path)
            @real ||= { "." => true }
            @real.fetch(path) { @real[path] = real?(File.dirname(path)) && folder?(path) }
          end

          # Like #clear, and creates missing folders.
          def make(path)
            clear(path)
            Util::Files.make_folder(File.join(@root, File.dirname(path)))
          end

          # Removes a workspace's node_modules if it is empty.
          def drop_empty(project)
            Dir.rmdir(File.join(@root, project, MODULES)) unless project == "."
          rescue SystemCallError
            nil # not empty, a mount, or never existed
          end

          # Creates the folder, which stays empty.
          def fill(folder) = make("#{folder}/anything")

          private

          def folder?(path) = !!Store::Object.lstat(File.join(@root, path))&.directory?

          # :folder or :absent.
          def look(path) = @states[path] ||= look(File.dirname(path)) == :absent ? :absent : see(path)

          def see(path)
            stat = File.lstat(full = File.join(@root, path))
            return :folder if stat.directory?
            raise FolderError.at(full, stat, "a folder of the project") unless inside?(File.dirname(path))

            @trash.take(full)
            :absent
          rescue Errno::ENOENT
            :absent
          end

          # Whether a path is in a node_modules, whose content belongs to the restore.
          def inside?(path) = "/#{path}/".include?("/#{MODULES}/")
        end
      end
    end
  end
end
