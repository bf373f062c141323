# frozen_string_literal: true

module Spate
  module RemoteCache
    class Builds
      # Puts a build that came from the cache into a store, as a variant that remembers who signed it.
      class Adoption
        def initialize(store)
          @store = store
        end

        # files: entries of a manifest, whose objects are in the store. Answers the Build::Cache::Entry. Whole or not at
        # all: it is not used until its inputs are in place.
        def call(entry, records, files)
          record = Build::Cache::Record.parse(records.facts)
          record.signer = [entry.signer, entry.made]
          variants = Build::Cache::Variants.new(@store, entry.key)
          id = entry.id + Build::Cache::Variants.mark(record)
          key = variants.key(id)
          commit(variants, id, records) do |path|
            @store.native.write_manifest(path, entry.archive, files, record.to_s) unless @store.own_build(key)
          end
        end

        private

        # A whole build of that name is this very one: its signer and the time are in the name.
        def commit(variants, id, records)
          written = { "" => records.inputs,
                      Build::Cache::Variants::NEEDS => records.needs }.transform_values do |bytes|
            @store.temporary("inputs").tap { |path| File.binwrite(path, bytes) }
          end
          yield @store.build_path(variants.key(id))
          variants.commit(id, written)
          Build::Cache::Entry.find(@store, variants.key(id))
        ensure
          written&.each_value { |path| File.unlink(path) if File.exist?(path) }
        end
      end
    end
  end
end
