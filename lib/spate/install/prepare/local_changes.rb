# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # What somebody wrote into a gem of the bundle: files that differ from the package's, and files that neither the
      # package nor the build knows. Such a gem is replaced only on request. Times do not count here; what is missing,
      # or what a build made, is nobody's work.
      class LocalChanges
        # record: Store::BundleRecord of the install before, or nil.
        def initialize(context, record)
          @context = context
          @record = record
        end

        # Paths in the gem's folder, [String]; all of a private gem; none of a gem that is not recorded.
        def of(full_name)
          tree = @record&.tree("gems/#{full_name}") or return []
          folder = @record.destination(tree)
          return ["."] if tree.private?

          known, complete = expected(tree, "gems/#{full_name}/")
          there(folder).select do |path|
            known.key?(path) ? known[path] && other?("#{folder}/#{path}", known[path]) : complete
          end
        end

        private

        # [{path => entry, or nil for any}, whether that is all there may be]. Without the record of a build nobody
        # knows what it made.
        def expected(tree, prefix)
          packages = tree.packages.map { |key| @context.store.package(key) }
          return [{}, false] unless packages.all?

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
