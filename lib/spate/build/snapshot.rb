# frozen_string_literal: true

module Spate
  module Build
    # What a tree looks like: each path below it, with the stat that changes when the file does.
    class Snapshot
      # Absolute path => [type, mode, size, mtime_ns, ctime_ns, inode]; ["directory", mode] for a folder.
      attr_reader :entries

      def self.of(*folders) = new(folders)

      def initialize(folders)
        @entries = {}
        folders.each { |folder| walk(folder) if File.directory?(folder) }
      end

      # One more file, outside of the trees.
      def add(path)
        @entries[path] = describe(File.lstat(path))
      end

      # Paths that are here and were not in `before`, or were different: files and links, and folders that are new or
      # have another mode.
      def since(before)
        @entries.reject { |path, stat| before.entries[path] == stat }.keys
      end

      # Paths that were in `before` and are no longer, outermost only.
      def removed_since(before)
        gone = before.entries.keys.reject { |path| @entries.key?(path) }
        gone.reject { |path| gone.include?(File.dirname(path)) }
      end

      def directory?(path) = @entries.fetch(path).first == "directory"

      private

      def walk(folder)
        Dir.each_child(folder) do |name|
          next if name == ".git" # a build that asks git changes its index

          path = "#{folder}/#{name}"
          stat = File.lstat(path)
          @entries[path] = describe(stat)
          walk(path) if stat.directory?
        end
      end

      def describe(stat)
        return ["directory", stat.mode & 0o777] if stat.directory?

        [stat.ftype, stat.mode & 0o777, stat.size, nanoseconds(stat.mtime), nanoseconds(stat.ctime), stat.ino]
      end

      def nanoseconds(time) = time.to_i * 1_000_000_000 + time.nsec
    end
  end
end
