# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # Every place in which the registry's bundles hold the inodes of some objects. The same content may be part of
      # several packages (a licence, an empty file), so all manifests are searched, each once.
      class Places
        def initialize(store, objects)
          @store = store
          @objects = objects.group_by(&:name)
          @found = objects.to_h { |object| [object, []] }
          @paths = {} # manifest's path in the store => [[object, path], ...]
          Bundle.all(store).each { |bundle| search(bundle) }
        end

        # [Place] of one object, each file once.
        def of(object) = @found.fetch(object).uniq(&:file)

        private

        def search(bundle)
          bundle.trees.reject(&:private?).each do |tree|
            next unless File.directory?(bundle.destination(tree))

            manifests(tree).each { |manifest| collect(bundle, tree, manifest) }
          end
        end

        def manifests(tree)
          tree.packages.map { |key| @store.package_path(key) } + tree.builds.map { |key| @store.build_path(key) }
        end

        def collect(bundle, tree, manifest)
          named(manifest).each do |object, path|
            inside = tree.path.empty? ? path : "#{tree.path}/#{path}"
            place = Place.new(bundle: bundle, tree: tree, inside: inside)
            @found[object] << place if object.same?(place.file)
          end
        end

        # Paths of one manifest that name an object in question.
        def named(manifest_path)
          @paths[manifest_path] ||= begin
            manifest = File.file?(manifest_path) ? @store.open_manifest(manifest_path) : nil
            Array.new(manifest&.count || 0) { |index| manifest.entry(index) }.flat_map do |entry|
              objects = entry[:type] == :file ? @objects.fetch(Object.name(entry), []) : []
              objects.map { |object| [object, entry[:path]] }
            end
          end
        end
      end
    end
  end
end
