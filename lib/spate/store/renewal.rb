# frozen_string_literal: true

module Spate
  class Store
    # Renews the trust in manifests after another boot (objects are never synced to disk) or if times were lost (a
    # restored CI cache). Verifies the content, and writes the manifest with the current times and boot id.
    class Renewal
      def initialize(store)
        @store = store
        @native = store.native
      end

      # paths: of manifests in the store. Returns {path => Native::Manifest}. Damaged objects are repaired; a manifest
      # that is invalid, or whose objects cannot be repaired, is removed and not returned, so that the package is
      # fetched or built again. In a read-only store, manifests are checked and returned unchanged. Packages are
      # processed one by one, because the core hashes with all its threads.
      def call(paths)
        paths.to_h { |path| [path, renew(path)] }.compact
      end

      private

      def renew(path)
        manifest = @store.open_manifest(path) or return drop(path)
        entries = other_times(manifest) if manifest.this_boot?
        damaged = @native.verify_manifest(manifest)
        return heal(path, manifest, damaged) unless damaged.empty?
        return manifest if (manifest.this_boot? && entries.nil?) || !@store.writable?

        write(path, manifest, entries)
      end

      # During hashing, the core records the times for a manifest from another boot; for a manifest from this boot, the
      # entries are written again. This only saves work later, so a full disk is not an error.
      def write(path, manifest, entries)
        entries ? @native.write_manifest(path, manifest.sha256, entries, manifest.facts) : manifest.renew(path)
        @store.open_manifest(path)
      rescue Native::Error
        manifest
      end

      # The entries with the current times; nil if no time has changed. Times are read before the content, so that the
      # time reveals an edit in between.
      def other_times(manifest)
        entries = Array.new(manifest.count) { |index| manifest.entry(index) }
        changed = entries.count { |entry| entry[:type] == :file && adopt_time(entry) }
        entries if changed.positive?
      end

      def adopt_time(entry)
        _, found = @native.examine(entry, hash: false)
        return if found.nil? || found == entry[:mtime_ns]

        entry[:mtime_ns] = found
      end

      # Repairs only once: if objects are damaged right after the repair, the disk is unreliable.
      def heal(path, manifest, damaged)
        return drop(path) if (@healed ||= {})[path]

        @healed[path] = true
        Healing.new(@store).replace(manifest, damaged)
        renew(path)
      rescue Missing, ReadOnly
        drop(path)
      end

      def drop(path)
        File.unlink(path) if @store.writable? && File.exist?(path)
        nil
      end
    end
  end
end
