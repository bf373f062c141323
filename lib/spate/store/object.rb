# frozen_string_literal: true

module Spate
  class Store
    # One file of objects/ as a manifest's entry describes it, and an inode that should be it and may not be: the one
    # found under the object's name, or a stray one that projects still share after the store got a better one.
    class Object
      # entry: a manifest's entry (Hash); path: of the object; source: a name of the inode; stat: File::Stat or nil.
      attr_reader :entry, :path, :source, :stat

      def self.of(store, entry, source = nil)
        new(store, entry, store.native.object_path(entry[:sha256], entry[:mode]), source)
      end

      def self.lstat(file)
        File.lstat(file)
      rescue SystemCallError
        nil
      end

      # "<sha256>-<octal mode>", the object's file name.
      def self.name(entry) = "#{entry[:sha256]}-#{entry[:mode].to_s(8)}"

      def initialize(store, entry, path, source)
        @store = store
        @entry = entry
        @path = path
        @source = source || path
        @stat = Object.lstat(@source)
      end

      def name = Object.name(entry)
      def exist? = !stat.nil?
      def stray? = source != path
      # Names of the inode: 1 where only the store has it; and how many of them lie outside the store.
      def links = stat ? stat.nlink : 0
      def links_outside = stray? ? links : links - 1
      def good? = right?(source, stat)

      # Whether the file at `file` is this very inode.
      def same?(file)
        other = Object.lstat(file)
        exist? && !other.nil? && other.ino == stat.ino && other.dev == stat.dev
      end

      # Whether a file has the content and mode that the entry asks for.
      def right?(file = path, file_stat = Object.lstat(file))
        return false unless file_stat&.file? && (file_stat.mode & 0o777) == entry[:mode]

        file_stat.size == entry[:size] && Native.sha256_file(file) == entry[:sha256]
      end

      # Whether a file has the content that the entry asks for.
      def content?(file = source)
        stat = Object.lstat(file)
        stat&.file? && stat.size == entry[:size] && Native.sha256_file(file) == entry[:sha256]
      end

      # Puts a fresh file under the object's name; the inode that had it keeps its other names.
      def replace(fresh)
        return if fresh == path

        @store.make(File.dirname(path))
        File.rename(fresh, path)
      rescue SystemCallError => e
        raise Error.for(e, path)
      end
    end
  end
end
