# frozen_string_literal: true

module Spate
  module Build
    module Run
      # A snapshot of a tree: each path with the stat fields that show changes of the file.
      class Snapshot
        # Absolute path => [type, mode, size, mtime, ctime, inode]; ["directory", mode] for a folder.
        attr_reader :entries

        def initialize(*folders)
          @entries = {}
          folders.each { |folder| walk(folder) if File.directory?(folder) }
        end

        # Adds a file outside of the trees.
        def add(path)
          stat = File.lstat(path)
          more = [stat.size, stat.mtime, stat.ctime, stat.ino] unless stat.directory?
          @entries[path] = [stat.ftype, stat.mode & 0o777, *more]
        end

        # Paths of files, links and folders that are new or changed since `before`. A folder is changed if its mode
        # differs.
        def since(before) = @entries.reject { |path, stat| before.entries[path] == stat }.keys

        # Paths in `before` that no longer exist, without paths below a removed folder.
        def removed_since(before)
          gone = before.entries.keys.reject { |path| @entries.key?(path) }
          gone.reject { |path| gone.include?(File.dirname(path)) }
        end

        def directory?(path) = @entries.fetch(path).first == "directory"

        private

        def walk(folder)
          Dir.each_child(folder) do |name|
            next if name == ".git" # running git changes its index file

            type, = add(path = "#{folder}/#{name}")
            walk(path) if type == "directory"
          end
        end
      end
    end
  end
end
