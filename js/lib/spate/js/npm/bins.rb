# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # npm's executables: node_modules/.bin/NAME is a symbolic link to a file of a package in the same node_modules.
      # The lockfile decides, not the package's own package.json.
      #
      # Among packages of one folder with the same bin name, the first by path wins, and links to folders come last. If
      # the winner's file is missing, no link is made.
      class Bins
        # A package's `bin` as { name => path in the package }. Names keep only the part after the last "/" (and "\",
        # and ":"); paths cannot lead out of the package. value: Hash, String, Array, or anything else.
        def self.clean(value, package_name)
          named(value, package_name).each_with_object({}) do |(name, path), clean|
            next unless name.is_a?(String) && path.is_a?(String)

            name = inside(name.tr("\\\\:", "/")).split("/").last
            path = inside(path.tr("\\\\:", "/"))
            clean[name] = path unless name.nil? || path.empty? || name.include?("\0") || path.include?("\0")
          end
        end

        def self.named(value, package_name)
          case value
          when Hash then value
          when String then package_name ? { package_name => value } : {}
          when Array then value.grep(String).to_h { |path| [File.basename(path), path] }
          else {}
          end
        end

        # A path with "." and ".." resolved as if it began at the file system's root.
        def self.inside(path)
          path.split("/").each_with_object([]) do |part, parts|
            case part
            when "", "." then next
            when ".." then parts.pop
            else parts << part
            end
          end.join("/")
        end

        # bins: { path of a package's folder => { name => path in it } }. targets: { path of a link => path of its
        # folder }
        def initialize(bins, targets = {})
          @bins = bins
          @targets = targets
        end

        # { "node_modules/.bin/x" => Symlink }. Links with a missing target must not be created.
        def entries(folder, _facts = nil, _root = nil)
          each_of(folder).to_h do |name, path, file|
            ["#{folder.path}/#{name}", Symlink.new(target(folder, path, file))]
          end
        end

        # { path of a link => path of its file, with all links resolved }. npm creates no link to a missing file.
        def files(folder)
          each_of(folder).to_h do |name, path, file|
            ["#{folder.path}/#{name}", [@targets.fetch(path, path), file].reject(&:empty?).join("/")]
          end
        end

        # Like files, for packages that are folders of the project.
        def own_files(folder)
          linked = each_of(folder).filter_map { |name, path, _| "#{folder.path}/#{name}" if @targets.key?(path) }
          linked.empty? ? {} : files(folder).slice(*linked)
        end

        private

        def each_of(folder)
          taken = {}
          folder.packages.flat_map do |_, path|
            @bins.fetch(path, {}).filter_map do |name, file|
              [name, path, file] if !taken.key?(name) && (taken[name] = true)
            end
          end
        end

        # The package is in the folder that contains .bin.
        def target(folder, path, file) = "..#{path.delete_prefix(folder.path.delete_suffix("/.bin"))}/#{file}"
      end
    end
  end
end
