# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # Files of a package to remove before a stored build is linked over them: those that the build removed or changed,
      # and paths that are a folder in only one of the two trees.
      module Removals
        module_function

        # manifest: of the build, with paths relative to root. below: prefix of the package's paths. Yields absolute
        # paths of files, links and whole folders. The caller must remove each path at once.
        def each(manifest, root, below: "", &block)
          removed = Builder.removed(manifest).map { |path| "#{root}/#{path}" }
          removed.select { |path| Trace::Content.there?(path) }.each(&block)
          manifest.paths.each_with_index do |path, index|
            next unless path.start_with?(below)

            place = "#{root}/#{path}"
            next if !Trace::Content.there?(place) || (folder?(place) && manifest.entry(index)[:type] == :directory)

            block.call(place)
          end
        end

        def folder?(path) = File.directory?(path) && !File.symlink?(path)
      end
    end
  end
end
