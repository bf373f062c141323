# frozen_string_literal: true

module Spate
  module Build
    # Where the loader finds shared libraries. A stored build names each library it links against with the path that it
    # was found at; one stat of that path says that it still resolves, and only where it is gone is it searched for.
    class Libraries
      DEFAULT = %w[/lib /usr/lib /lib64 /usr/lib64 /usr/local/lib].freeze

      # environment: Environment. folders: the loader's own, after those of its cache.
      def initialize(environment, cache: nil, folders: DEFAULT)
        @environment = environment
        @cache = cache
        @folders = folders
        @there = {}
      end

      # libraries: as a Record keeps them. Names of those that are found no longer.
      def missing(libraries)
        libraries.filter_map { |name, path, *search| name unless there?(path) || find(name, search) }
      end

      # The path of a library, or nil. search: folders named by the file that needs it.
      def find(name, search = [])
        return name if name.include?("/") && File.file?(name)

        folder = [*search, *paths].find { |candidate| File.file?("#{candidate}/#{name}") }
        return "#{folder}/#{name}" if folder

        cache.path(name) || @folders.map { |candidate| "#{candidate}/#{name}" }.find { |path| File.file?(path) }
      end

      private

      def there?(path)
        @there.fetch(path) { @there[path] = File.file?(path) }
      end

      def paths = @paths ||= @environment["LD_LIBRARY_PATH"].to_s.split(/[:;]/).reject(&:empty?)
      def cache = @cache ||= LinkerCache.read
    end
  end
end
