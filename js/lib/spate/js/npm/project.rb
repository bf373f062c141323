# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # The package.json files of a project: the root's, and those of the folders that it works in.
      class Project
        autoload :Manifest, "spate/js/npm/project/manifest"
        autoload :Workspaces, "spate/js/npm/project/workspaces"

        PACKAGE = "package.json"

        attr_reader :root

        # root: absolute. Raises LockfileError.
        def initialize(root)
          @root = root
          @folders = {}
        end

        # The root's package.json; {} if it is missing.
        def manifest = @manifest ||= Manifest.read(File.join(@root, PACKAGE)) || {}

        # That of a folder, nil if it is missing. path: relative to the root.
        def folder(path)
          @folders.fetch(path) { @folders[path] = Manifest.read(File.join(@root, path, PACKAGE)) }
        end

        # { name => path } of the workspaces that are there.
        def workspaces = @workspaces ||= manifest["workspaces"] ? Workspaces.find(self) : {}

        # Whether one of the package.json files itself names a folder outside of the root.
        def names?(path) = named.include?(File.expand_path(path, @root))

        # Files that were read, or looked for, and folders that were listed, absolute.
        def inputs
          found = [PACKAGE, *@folders.keys.map { |path| File.join(path, PACKAGE) }]
          found |= Workspaces.looked_at(self) if @workspaces && manifest["workspaces"]
          found.map { |path| path.empty? ? @root : File.join(@root, path) }
        end

        private

        def named
          @named ||= [[".", manifest], *workspaces.values.map { |path| [path, folder(path)] }]
                     .flat_map { |path, found| folders_in(path, found) }
        end

        def folders_in(path, found)
          Manifest::DEPENDENCIES.flat_map { |field| (found[field] || {}).values }
                                .grep(%r{\A(?:file:|link:|\.{1,2}/|/|~/)})
                                .map { |spec| File.expand_path(spec.sub(/\A(?:file|link):/, ""), "#{@root}/#{path}") }
        end
      end
    end
  end
end
