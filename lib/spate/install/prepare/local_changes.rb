# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Finds the user's changes in a gem of the bundle: changed files, and files that are neither in the package nor in
      # its build. A gem with changes is replaced only on request. Ignores file times, missing files and files of a
      # build.
      class LocalChanges
        # record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, record)
          @context = context
          @record = record
        end

        # [String]: changed paths in the gem's folder. ["."] for a gem copied for editing, and empty for a gem without a
        # record.
        def of(full_name)
          tree = @record&.tree("gems/#{full_name}") or return []
          return ["."] if tree.private?

          written(tree, *expected(tree))
        end

        # Changed paths of a gem copied for editing, including deleted files. nil if its package is not in the store.
        def in_copy(full_name)
          tree = @record.tree("gems/#{full_name}")
          known, complete = expected(tree)
          written(tree, known, complete) + deleted(tree, known) unless known.empty?
        end

        private

        def written(tree, known, complete)
          folder = @record.destination(tree)
          there(folder).select do |path|
            known.key?(path) ? known[path] && other?("#{folder}/#{path}", known[path]) : complete
          end
        end

        # Deleted files, except those removed by a build.
        def deleted(tree, known)
          folder = @record.destination(tree)
          removed = builds.flat_map { |build| Build::Builder.removed(build) }
          files = known.compact.reject { |_, entry| entry[:type] == :directory }.keys
          gone = files.reject { |path| Store::Object.lstat("#{folder}/#{path}") }
          gone.reject { |path| removed.any? { |above| "#{tree.path}/#{path}/".start_with?("#{above}/") } }
        end

        # [{path => manifest entry, or nil if any content is allowed}, whether the list is complete]. It is incomplete
        # if the gem has extensions but the build's record is missing.
        def expected(tree)
          prefix = "#{tree.path}/"
          packages = tree.packages.map { |key| @context.store.package(key) }
          return [{}, false] unless packages.any? && packages.all?

          built = builds.select { |build| build.paths.any? { |path| path.start_with?(prefix) } }
          known = packages.flat_map { |one| one.paths.each_with_index.map { |path, index| [path, one.entry(index)] } }
          known = known.to_h.merge(built.flat_map(&:paths).to_h { |path| [path.delete_prefix(prefix), nil] })
          [known, built.any? || packages.none? { |manifest| Specification::Facts.parse(manifest.facts).native? }]
        end

        def builds = @builds ||= @record.builds.filter_map { |key| @context.store.build(key) }

        def there(folder)
          Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).reject do |path|
            [".", ".."].include?(File.basename(path)) || File.directory?("#{folder}/#{path}")
          end.sort
        end

        def other?(path, entry)
          return !File.symlink?(path) || File.readlink(path) != entry[:target] if entry[:type] == :symlink

          !Store::Object.matches?(@context.store, entry, path)
        end
      end
    end
  end
end
