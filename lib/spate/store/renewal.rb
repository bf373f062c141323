# frozen_string_literal: true

module Spate
  class Store
    # Makes manifests trusted again: after another boot (objects were never synced to disk) and where times were lost
    # (a restored CI cache). The content decides; then the manifest is written with the times and boot id of now.
    class Renewal
      def initialize(store)
        @store = store
        @native = store.native
      end

      # paths: of manifests in the store. Answers {path => Native::Manifest}. Damaged objects are healed; a manifest
      # that is not whole, or whose objects cannot be healed, is removed and missing in the answer, so that the package
      # is fetched or built again. In a store that cannot be written, manifests are checked and answered as they are.
      # Hashing runs in the core on all its threads, so the packages follow each other.
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

      # The core notes the times of a manifest of another boot while it hashes; those of this boot it trusts, so for
      # them the entries are written again. This only saves work later, so a full disk is no failure.
      def write(path, manifest, entries)
        entries ? @native.write_manifest(path, manifest.sha256, entries, manifest.facts) : manifest.renew(path)
        @store.open_manifest(path)
      rescue Native::Error
        manifest
      end

      # The entries with the times found, nil where all are as recorded. Times are read before the content: an edit in
      # between shows as a changed time later.
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

      # Once: what is damaged right after it was healed is on a disk that cannot be trusted.
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
