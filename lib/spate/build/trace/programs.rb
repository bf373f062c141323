# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The program that a name refers to: the first one in the folders of PATH, which differs between
      # shells. Names and paths are bytes.
      class Programs
        # folders: of PATH, see Environment#path. home: the user's, or nil; paths below it are abbreviated
        # ("~/bin/tool").
        def initialize(folders, home = nil)
          @folders = folders
          @home = (home || "/ ").b
          @found = {}
        end

        # [[name, path or ""]] of all names that were looked for in these folders. paths: both found and missing ones.
        def sought(paths)
          names = paths.filter_map { |path| File.basename(path) if folder?(File.dirname(path)) }
          names.uniq.sort.map { |name| [name, find(name).to_s.sub(%r{\A#{Regexp.escape(@home)}(?=/)}n, "~")] }
        end

        def folder?(path) = @folders.include?(path)

        # Whether a name still refers to the same program, by the same path or by another path to it. A copy of the
        # program in another folder does not count, because other files are next to it.
        def same?(name, told)
          was = told.b.sub(%r{\A~(?=/)}n) { @home }
          found = find(name).to_s
          found == was || (![found, was].include?("") && File.identical?(File.dirname(found), File.dirname(was)))
        end

        # The absolute path, or nil. Without a matching program, uses another file, since scripts also look for
        # data.
        def find(name)
          @found.fetch(name = name.b) do
            paths = @folders.map { |folder| "#{folder}/#{name}" }.select { |path| File.exist?(path) }
            @found[name] = paths.find { |path| File.executable?(path) && !File.directory?(path) } || paths.first
          end
        end

        # Clears all results.
        def forget = @found.clear
      end
    end
  end
end
