# frozen_string_literal: true

module Spate
  module Build
    # The paths in glibc's /etc/ld.so.cache, or the folders in musl's configuration.
    class LinkerCache
      GLIBC = "/etc/ld.so.cache"
      MUSL = "/etc/ld-musl-*.path"
      # An absolute path of a shared library, between the NULs of the cache's string table.
      PATH = %r{\0(/[^\0]+)(?=\0)}n

      def self.read(file: GLIBC, musl: Dir.glob(MUSL))
        text = File.file?(file) ? File.binread(file) : ""
        new(text.scan(PATH).flatten, musl.flat_map { |path| File.read(path).split(/[:\n]/) })
      rescue SystemCallError
        new([], [])
      end

      def initialize(paths, folders)
        @paths = paths.group_by { |path| File.basename(path) }
        @folders = folders
      end

      # The path of a library by its name, or nil.
      def path(name)
        found = @paths.fetch(name.b, []).find { |path| File.file?(path) } ||
                @folders.map { |folder| "#{folder}/#{name}" }.find { |path| File.file?(path) }
        found&.dup&.force_encoding(Encoding::UTF_8)
      end
    end
  end
end
