# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # A name that a build looked for in each folder from the bundle's upwards: ".git", a configuration of cargo. The
      # folders above another bundle differ, so each bundle repeats the walk.
      #
      # name:: relative to each folder
      # extent:: "all" folders up to "/", or up to the "first" one with the name
      # found:: the folders with the name, in the form of FoldersAbove#name
      Walk = Struct.new(:name, :extent, :found) do
        # [Walk] of a build's accesses. paths: {path => kinds}. root: the bundle's folder. Lookups in two folders
        # already count as a walk: a walk may end at the home, which another bundle does not reach.
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
          # If only "/" remains, it is unknown whether the walk would have continued.
          ended = found == asked.last(1) && asked.size < above.all.size - 1
          return new(name, "first", [above.name(found.last)]) if ended

          found += (above.all - asked).select { |folder| Content.there?(File.join(folder, name)) }
          new(name, "all", found.map { |folder| above.name(folder) })
        end
        private_class_method :missed?, :of

        # [reason, path, kind] for the first folder above a bundle that differs; nil if all are the same.
        def change(above)
          apart = found.find { |folder| !above.all.include?(above.find(folder)) }
          return [:apart, path(above.distance(apart) || apart), nil] if apart

          places = found.map { |folder| above.find(folder) }
          gone = places.find { |folder| !there?(folder) } and return [:gone, path(gone), :looked]
          appeared = (here(above) - places).first and [:appeared, path(appeared), :absent]
        end

        private

        def here(above)
          extent == "first" ? [above.all.find { |at| there?(at) }].compact : above.all.select { |at| there?(at) }
        end

        def there?(folder) = Content.there?(File.join(folder, name))
        def path(folder) = File.join(folder, name).force_encoding(Encoding::UTF_8)
      end
    end
  end
end
