# frozen_string_literal: true

module Spate
  module Build
    # What is looked for in a folder and in all folders above it, as cargo's configuration, a version file, a
    # repository: above the bundle, its place differs from project to project.
    class Above
      # root: the bundle's folder.
      def initialize(root)
        @root = root.b
        @folders = []
        @folders << File.dirname(@folders.last || @root) until @folders.last == "/"
      end

      # Names that were looked for so, below the folders, of paths that were met or missed: {path => true}.
      def sought(paths)
        parent = @folders.first.chomp("/")
        below = "#{@root}/"
        names = paths.each_key.filter_map { |path| path.delete_prefix(below) if path.start_with?(below) }
        names.select { |name| paths.key?("#{parent}/#{name}") }
      end

      # Whether a path is one of these names in one of the folders.
      def covers?(path, names)
        names.any? { |name| path.end_with?("/#{name}") && folder?(path.delete_suffix("/#{name}")) }
      end

      # What is there now under a name, as a text to compare.
      def digest(name)
        Store.sha256(@folders.filter_map { |folder| content("#{folder.chomp("/")}/#{name}") }.join("\n"))
      end

      private

      def folder?(path) = @folders.include?(path.empty? ? "/" : path)

      def content(path)
        return "folder" if File.directory?(path)

        Store.sha256(File.binread(path)) if File.exist?(path)
      rescue SystemCallError
        "unreadable"
      end
    end
  end
end
