# frozen_string_literal: true

module Spate
  module Build
    # The files of one gem, to read how it is built, as the store has them. `read` answers the bytes of a file, nil for
    # what is none or too large.
    module Files
      # Build files are small; what is larger is data.
      LARGEST = 1 << 20
      # As deep as no path of a gem leads up.
      TOP = "/of/gem"

      # A path in the gem that is named relative to a folder of it; nil where it leads out.
      def self.expand(path, folder)
        full = File.expand_path(path, "#{TOP}/#{folder}")
        full.delete_prefix("#{TOP}/") if full.start_with?("#{TOP}/")
      end

      # Those of a package in the store.
      class Package
        # manifest: Native::Manifest, or nil for a package that is not there.
        def initialize(store, manifest)
          @store = store
          @manifest = manifest
        end

        def paths = @paths ||= (@manifest&.paths || [])

        def read(path)
          index = indexes[path] or return
          entry = @manifest.entry(index)
          return unless entry[:type] == :file && entry[:size] <= LARGEST

          File.binread(@store.native.object_path(entry[:sha256], entry[:mode]))
        rescue SystemCallError
          nil
        end

        private

        def indexes = @indexes ||= paths.each_with_index.to_h
      end
    end
  end
end
