# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Finds the program that a name refers to: the first one in the folders of PATH. Names and paths are bytes.
      class Programs
        # folders: the folders of PATH, see Environment#path. home: the user's home, or nil. Paths below it are
        # abbreviated ("~/bin/tool").
        def initialize(folders, home = nil)
          @folders = folders
          @home = (home || "/ ").b
          @found = {}
        end

        # [[name, path or ""]] of all names that were searched in these folders. paths: the traced paths, including
        # missing ones.
        def searched(paths)
          names = paths.filter_map { |path| File.basename(path) if folder?(File.dirname(path)) }
          names.uniq.sort.map { |name| [name, find(name).to_s.sub(%r{\A#{Regexp.escape(@home)}(?=/)}n, "~")] }
        end

        def folder?(path) = @folders.include?(path)

        # Whether a name still refers to the same program, by the same path or by another path to its folder. A copy of
        # the program in a different folder is treated as different, because the files next to it may differ.
        def same?(name, recorded)
          was = recorded.b.sub(%r{\A~(?=/)}n) { @home }
          found = find(name).to_s
          found == was || (![found, was].include?("") && File.identical?(File.dirname(found), File.dirname(was)))
        end

        # Returns the absolute path, or nil. If no program matches, returns another file with the name, because scripts
        # also search for data files.
        def find(name)
          @found.fetch(name = name.b) do
            paths = @folders.map { |folder| "#{folder}/#{name}" }.select { |path| File.exist?(path) }
            @found[name] = paths.find { |path| File.executable?(path) && !File.directory?(path) } || paths.first
          end
        end

        # Clears the cached results.
        def forget = @found.clear
      end
    end
  end
end
