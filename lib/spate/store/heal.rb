# frozen_string_literal: true

module Spate
  class Store
    # Gives damaged objects of a package their right content again.
    class Heal
      def initialize(store)
        @store = store
      end

      # indexes: entries of the manifest that differ by their stat or hash. An object whose content is right, and only
      # its time differs (a restored cache, a touch), makes the manifest be written anew; every other one is replaced
      # from the archive. path: the manifest's; without it, all that were made of the same archive are written.
      # Answers the edits that were found on the way (see Edits). Raises Missing, ReadOnly, Full.
      def call(manifest, indexes, path: nil)
        edits = replace(manifest, indexes)
        @store.renew(path ? [path] : @store.package_keys(manifest.sha256).map { |key| @store.package_path(key) })
        edits
      end

      # The same without writing the manifest.
      def replace(manifest, indexes)
        entries = indexes.map { |index| manifest.entry(index) }.uniq { |entry| entry.values_at(:sha256, :mode) }
        edits = Edits.new(@store)
        edits.alone do
          objects = entries.filter_map { |entry| damaged(entry) if entry[:type] == :file }
          objects.empty? ? [] : restore(manifest, objects, edits)
        end
      end

      private

      def damaged(entry)
        object = Object.of(@store, entry)
        object unless object.good?
      end

      # An inode that has other names is an edit through a link; one that only the store holds is just replaced.
      def restore(manifest, objects, edits)
        raise ReadOnly.at(@store.root) unless @store.writable?

        shared, own = objects.partition { |object| object.links > 1 }
        verdicts = shared.empty? ? {} : edits.judge(shared)
        Extraction.open(@store, manifest) do |extraction|
          own.each { |object| put(object, extraction.file(object.entry)) }
          edits.resolve(verdicts, extraction)
        end
      end

      # The bytes found, whatever they are, would be lost, so they are put aside.
      def put(object, fresh)
        Edits::Kept.new(@store).keep(object.path, "objects", object.name) if object.exist?
        object.replace(fresh)
      end
    end
  end
end
