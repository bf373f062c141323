# frozen_string_literal: true

module Spate
  module Build
    class Schedule
      # The files of a package in the store, read to find out how it is built.
      class PackageFiles
        # Build files are small; larger files are data.
        LARGEST = 1 << 20

        # manifest: Native::Manifest; nil if the package is missing.
        def initialize(store, manifest)
          @store = store
          @manifest = manifest
        end

        def paths = @paths ||= (@manifest&.paths || [])
        def size(path) = entry(path)[:size]

        # Returns bytes; nil if the path is not a file, or the file is too large.
        def read(path)
          entry = entry(path)
          return unless entry && entry[:type] == :file && entry[:size] <= LARGEST

          File.binread(@store.native.object_path(entry[:sha256], entry[:mode]))
        rescue SystemCallError
          nil
        end

        private

        def entry(path)
          @indexes ||= paths.each_with_index.to_h
          @indexes[path]&.then { |index| @manifest.entry(index) }
        end
      end
    end
  end
end
