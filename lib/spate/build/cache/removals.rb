# frozen_string_literal: true

module Spate
  module Build
    module Cache
      # What of a package's files makes room before a stored build is laid over them: what the build removed, what it
      # changed, and what is a folder in one of them and none in the other.
      module Removals
        module_function

        # manifest: of the build, its paths relative to root. below: what those begin with that the package may have.
        # Yields absolute paths, of files, links and folders with all that is in them; the caller takes each away at
        # once.
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
