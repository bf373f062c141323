# frozen_string_literal: true

module Spate
  class Store
    # Determines which entries are in use: packages, builds and slots by bundles, and objects by manifests.
    class Usage
      # dead: BundleRecords to ignore.
      def initialize(store, dead: [])
        @store = store
        gone = dead.to_h { |record| [record.root, true] }
        @records = BundleRecord.all(store).reject { |record| gone[record.root] }
        @packages = @records.flat_map(&:packages).to_h { |key| [key, true] }
        @builds = @records.flat_map(&:builds).to_h { |key| [key, true] }
        @slots = @records.flat_map { |record| record.slots.keys }.to_h { |path| [path, true] }
      end

      attr_reader :records

      def package?(key) = @packages.key?(key)
      def build?(key) = @builds.key?(key)
      # path: relative to "links".
      def slot?(path) = @slots.key?(path)

      # The keys of the manifests in a folder ("packages" or "builds").
      def kept(folder)
        Dir.children(@store.path(folder)).reject { |name| name.include?(".") }.sort
      rescue Errno::ENOENT
        []
      end

      # {"<sha256>-<mode>" => true} for all objects in manifests. Lists the folders again until there are no new
      # manifests, to include those written meanwhile. except: paths of manifests to ignore.
      def objects(except: [])
        names = {}
        read = except.to_h { |path| [path, true] }
        until (fresh = paths.reject { |path| read[path] }).empty?
          fresh.each do |path|
            read[path] = true
            name_objects(path, names)
          end
        end
        names
      end

      private

      def paths = %w[packages builds].flat_map { |folder| kept(folder).map { |key| @store.path(folder, key) } }

      def name_objects(path, names)
        manifest = @store.open_manifest(path) or return # the manifest is invalid, so the package will be fetched again
        Object.entries(manifest).each { |entry| names[Object.name(entry)] = true }
      end
    end
  end
end
