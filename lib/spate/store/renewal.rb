# frozen_string_literal: true

module Spate
  class Store
    # Verifies the content of manifests' objects, and rewrites the manifests with the current times and boot id. This is
    # necessary after a reboot, since objects are never synced to disk, and if file times were lost, as in a restored CI
    # cache.
    class Renewal
      def initialize(store)
        @store = store
        @native = store.native
      end

      # paths: paths of manifests. Returns {path => Native::Manifest}. Repairs damaged objects. A manifest that is
      # invalid, or whose objects cannot be repaired, is removed and not returned, so that the package is fetched or
      # built again. In a read-only store, manifests are checked and returned unchanged. Processes one package at a
      # time, because the core hashes with all its threads.
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

      # entries: for a manifest from the current boot, the entries with new times. For others it is nil, since the core
      # has recorded the times during hashing. Ignores errors such as a full disk, since this only saves work later.
      def write(path, manifest, entries)
        entries ? @native.write_manifest(path, manifest.sha256, entries, manifest.facts) : manifest.renew(path)
        @store.open_manifest(path)
      rescue Native::Error
        manifest
      end

      # The entries with the current times, or nil if no time has changed. Times are read before the content, so that a
      # later edit changes the time.
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

      # Repairs each manifest only once. If objects are damaged again immediately, the disk is unreliable.
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
