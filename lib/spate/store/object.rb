# frozen_string_literal: true

module Spate
  class Store
    # A file in objects/, described by a manifest entry.
    class Object
      # entry: manifest entry (Hash). path: path of the object. stat: File::Stat, or nil if it does not exist.
      attr_reader :entry, :path, :stat

      def self.of(store, entry) = new(store, entry, store.native.object_path(entry[:sha256], entry[:mode]))

      # Whether `file` has the content and mode of a manifest entry. false if the entry is not a file.
      def self.matches?(store, entry, file) = entry[:type] == :file && of(store, entry).matches_file?(file)

      def self.lstat(file)
        File.lstat(file)
      rescue SystemCallError
        nil
      end

      # The entries of a Native::Manifest that are files, which are stored as objects.
      def self.entries(manifest)
        Array.new(manifest.count) { |index| manifest.entry(index) }.select { |entry| entry[:type] == :file }
      end

      # The object's file name: "<sha256>-<octal mode>".
      def self.name(entry) = "#{entry[:sha256]}-#{entry[:mode].to_s(8)}"

      def initialize(store, entry, path)
        @store = store
        @entry = entry
        @path = path
        @stat = Object.lstat(path)
      end

      def name = Object.name(entry)
      def exist? = !stat.nil?
      def intact? = @store.native.examine(entry, hash: true).first == :good

      # Whether `file` is the same inode.
      def same?(file)
        other = Object.lstat(file)
        exist? && !other.nil? && other.ino == stat.ino && other.dev == stat.dev
      end

      # Whether a file has the content and mode of the entry.
      def matches_file?(file)
        stat = Object.lstat(file)
        !stat.nil? && (stat.mode & 0o777) == entry[:mode] && content?(file)
      end

      # Whether a file has the content of the entry.
      def content?(file)
        stat = Object.lstat(file)
        stat&.file? && stat.size == entry[:size] && Native.sha256_file(file) == entry[:sha256]
      end

      # Renames a new file to the object's name. Other links to the old inode are not changed.
      def replace(fresh)
        @store.make(File.dirname(path))
        File.rename(fresh, path)
      rescue SystemCallError => e
        raise Error.for(e, path)
      end
    end
  end
end
