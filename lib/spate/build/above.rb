# frozen_string_literal: true

module Spate
  module Build
    # What is looked for in a folder and in all folders above it, as cargo's configuration, a version file, a
    # repository: above the bundle, its place differs from project to project.
    class Above
      # root: the bundle's folder.
      def initialize(root)
        @below = "#{root}/".b
        @folders = [File.dirname(root.b)]
        @folders << File.dirname(@folders.last) until @folders.last == "/"
      end

      # Names that were looked for so, below the folders, of paths that were met or missed: {path => true}.
      def sought(paths)
        names = paths.each_key.filter_map { |path| path.delete_prefix(@below) if path.start_with?(@below) }
        names.select { |name| paths.key?(places([name]).first) }
      end

      # Paths of these names in all of the folders, the nearest first.
      def places(names) = @folders.product(names).map { |folder, name| "#{folder.chomp("/")}/#{name}" }

      # What is there now under a name, as a text to compare.
      def digest(name) = Store.sha256(places([name]).filter_map { |path| content(path) }.join("\n"))

      private

      def content(path)
        return "folder" if File.directory?(path)

        Store.sha256(Content.of(path) || "unreadable") if File.exist?(path)
      end
    end
  end
end
