# frozen_string_literal: true

module Spate
  module Build
    # Which program a name means: the first one in the folders of PATH. PATH itself differs between shells.
    class Programs
      # folders: of PATH. home: the user's, or nil; paths below it are told from there ("~/bin/tool").
      def initialize(folders, home = nil)
        @folders = folders.to_h { |folder| [folder.b, folder] }
        @home = home || "/ "
        @found = {}
      end

      # [[name, path or ""]] of all that were looked for in these folders, of paths that were met or missed.
      def sought(paths)
        names = paths.filter_map { |path| File.basename(path) if folder?(File.dirname(path)) }
        names.uniq.sort.map { |name| [name, find(name).to_s.sub(%r{\A#{Regexp.escape(@home)}(?=/)}, "~")] }
      end

      def folder?(path) = @folders.key?(path.b)

      # Whether the name tells that nothing was at a path: it means another one further on, or all folders were searched
      # in vain.
      # met: {path => any}, of all that were met or missed.
      def searched?(path, met)
        folder, name = File.split(path)
        return false unless folder?(folder)

        at, = File.split(find(name).to_s.b)
        return @folders.keys.index(folder.b) < @folders.keys.index(at) if folder?(at)

        @folders.keys.all? { |one| met.key?("#{one}/#{name}") || !File.directory?(one) }
      end

      # Whether a name means what it meant: that path, or the same program elsewhere.
      def same?(name, told)
        was = told.sub(%r{\A~(?=/)}) { @home }
        found = find(name).to_s
        found == was || File.identical?(found, was) || (content = Content.of(found)) && content == Content.of(was)
      rescue SystemCallError
        false
      end

      # The absolute path, or nil. What is no program is found where nothing else is: scripts look for data, too.
      def find(name)
        @found.fetch(name) do
          paths = @folders.values.map { |folder| "#{folder}/#{name}" }.select { |path| File.exist?(path) }
          @found[name] = paths.find { |path| File.executable?(path) && !File.directory?(path) } || paths.first
        end
      end

      # What is found from now on is looked for again.
      def forget = @found.clear
    end
  end
end
