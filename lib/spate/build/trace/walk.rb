# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # A name (".git", a configuration file of cargo) that a build searched in the bundle's folder and each folder
      # above it. Each bundle repeats the search, because the folders above it differ.
      #
      # name:: relative to each folder
      # extent:: "all" if the search continued to "/", "first" if it stopped at the first folder with the name
      # found:: the folders that contain the name, in the format of FoldersAbove#name
      Walk = Struct.new(:name, :extent, :found) do
        # Returns [Walk] of a build's accesses. paths: {path => kinds}. root: the bundle's folder. Lookups in the
        # bundle's folder and its parent are enough for a walk, because the search may have stopped at the home.
        def self.traced(paths, root, above)
          names = paths.filter_map { |path, kinds| path.delete_prefix("#{root}/") if missed?(path, kinds, root) }
          names.filter_map do |name|
            asked = above.all.take_while { |folder| paths.key?(File.join(folder, name)) }
            of(name, asked, paths, above) if asked.any?
          end
        end

        def self.missed?(path, kinds, root) = kinds.first == :absent && path.start_with?("#{root}/")

        def self.of(name, asked, paths, above)
          found = asked.reject { |folder| paths[File.join(folder, name)].first == :absent }
          # If only "/" remains, it is unknown whether the search would have continued.
          ended = found == asked.last(1) && asked.size < above.all.size - 1
          return new(name, "first", [above.name(found.last)]) if ended

          found += (above.all - asked).select { |folder| Content.exist?(File.join(folder, name)) }
          new(name, "all", found.map { |folder| above.name(folder) })
        end
        private_class_method :missed?, :of

        # Returns [reason, path, kind] for the first folder with a different result, or nil if there is none.
        def change(above)
          apart = found.find { |folder| !above.all.include?(above.find(folder)) }
          return [:apart, path(above.distance(apart) || apart), nil] if apart

          places = found.map { |folder| above.find(folder) }
          gone = places.find { |folder| !exist?(folder) } and return [:gone, path(gone), :looked]
          appeared = (matching_folders(above) - places).first and [:appeared, path(appeared), :absent]
        end

        private

        def matching_folders(above)
          extent == "first" ? [above.all.find { |at| exist?(at) }].compact : above.all.select { |at| exist?(at) }
        end

        def exist?(folder) = Content.exist?(File.join(folder, name))
        def path(folder) = File.join(folder, name).force_encoding(Encoding::UTF_8)
      end
    end
  end
end
