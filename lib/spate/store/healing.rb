# frozen_string_literal: true

module Spate
  class Store
    # Repairs damaged objects of a package by replacing the files. Bundles that link to a damaged inode are not
    # repaired, since they still have the old file.
    class Healing
      autoload :Extraction, "spate/store/healing/extraction"

      # package: SHA-256 of the archive. path: path in the package. state: :missing or :changed. outcome: :healed, or
      # :dropped if the package must be fetched or built again.
      Healed = Struct.new(:package, :path, :state, :outcome, keyword_init: true)

      def initialize(store)
        @store = store
      end

      # indexes: indexes of manifest entries whose stat or hash differs. If only the time of an object differs (after
      # restoring a cache, or touch), only rewrites the manifest. Other objects are replaced from the archive. path:
      # path of the manifest; if nil, the manifests of all packages from the same archive are rewritten. Raises Missing,
      # ReadOnly, Full.
      def call(manifest, indexes, path: nil)
        replace(manifest, indexes)
        @store.renew(path ? [path] : @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) })
      end

      # Like call, but does not rewrite manifests.
      def replace(manifest, indexes)
        objects = damaged(manifest, indexes)
        return if objects.empty?
        raise ReadOnly.at(@store.root) unless @store.writable?

        Extraction.open(@store, manifest) do |extraction|
          objects.each { |object| object.replace(extraction.file(object.entry)) }
        end
        report(manifest, objects, :healed)
      rescue Missing
        report(manifest, objects, :dropped)
        raise
      end

      private

      def damaged(manifest, indexes)
        entries = indexes.map { |index| manifest.entry(index) }.uniq { |entry| entry.values_at(:sha256, :mode) }
        entries.select { |entry| entry[:type] == :file }.map { |entry| Object.of(@store, entry) }.reject(&:intact?)
      end

      # Records the outcome. objects: Objects as they were found, before the repair.
      def report(manifest, objects, outcome)
        @store.healed.concat(objects.map do |object|
          Healed.new(package: manifest.sha256, path: object.entry[:path], outcome: outcome,
                     state: object.exist? ? :changed : :missing)
        end)
      end
    end
  end
end
