# frozen_string_literal: true

module Spate
  module Build
    # What of a package's files makes room before a stored build is laid over them: what the build removed, what it
    # changed, and what is a folder in one of them and none in the other.
    module Replaced
      module_function

      # manifest: of the build, its paths relative to root. below: what those begin with that the package may have.
      # Yields absolute paths, of files, links and folders with all that is in them; the caller takes each away at once.
      def each(manifest, root, below: "", &block)
        Builder.removed(manifest).map { |path| "#{root}/#{path}" }.select { |path| Content.there?(path) }.each(&block)
        manifest.paths.each_with_index do |path, index|
          next unless path.start_with?(below)

          place = "#{root}/#{path}"
          block.call(place) if Content.there?(place) && !(folder?(place) && manifest.entry(index)[:type] == :directory)
        end
      end

      def folder?(path) = File.directory?(path) && !File.symlink?(path)
    end
  end
end
