# frozen_string_literal: true

module Spate
  class Store
    # Repairs damaged objects of a package. A bundle that links a damaged inode keeps it, since the new file takes over
    # only the object's name.
    class Healing
      autoload :Extraction, "spate/store/healing/extraction"

      # package: SHA-256 of the archive; path: in the package; state: :missing or :changed; outcome: :healed, or
      # :dropped, so that the package is fetched or built again.
      Healed = Struct.new(:package, :path, :state, :outcome, keyword_init: true)

      def initialize(store)
        @store = store
      end

      # indexes: entries of the manifest whose stat or hash differs. If only an object's time differs (a restored cache,
      # a touch), the manifest is rewritten; all other objects are replaced from the archive. path: of the manifest;
      # without it, all manifests of packages from the same archive are written. Raises Missing, ReadOnly, Full.
      def call(manifest, indexes, path: nil)
        replace(manifest, indexes)
        @store.renew(path ? [path] : @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) })
      end

      # Like call, without writing the manifest.
      def replace(manifest, indexes)
        objects = damaged(manifest, indexes)
        return if objects.empty?
        raise ReadOnly.at(@store.root) unless @store.writable?

        Extraction.open(@store, manifest) do |extraction|
          objects.each { |object| object.replace(extraction.file(object.entry)) }
        end
        tell(manifest, objects, :healed)
      rescue Missing
        tell(manifest, objects, :dropped)
        raise
      end

      private

      def damaged(manifest, indexes)
        entries = indexes.map { |index| manifest.entry(index) }.uniq { |entry| entry.values_at(:sha256, :mode) }
        entries.select { |entry| entry[:type] == :file }.map { |entry| Object.of(@store, entry) }.reject(&:good?)
      end

      # objects: in the state in which they were found.
      def tell(manifest, objects, outcome)
        @store.healed.concat(objects.map do |object|
          Healed.new(package: manifest.sha256, path: object.entry[:path], outcome: outcome,
                     state: object.exist? ? :changed : :missing)
        end)
      end
    end
  end
end
