# frozen_string_literal: true

module Spate
  module Build
    # Which program a name means: the first one in the folders of PATH. PATH itself differs between shells.
    class Programs
      # folders: of PATH. home: the user's, or nil; paths below it are told from there ("~/bin/tool").
      def initialize(folders, home = nil)
        @folders = folders.to_h { |folder| [folder.b, folder] }
        @home = home
        @found = {}
      end

      # [[name, path or ""]] of all that were looked for in these folders, of paths that were met or missed.
      def sought(paths)
        names = paths.filter_map { |path| File.basename(path) if folder?(File.dirname(path)) }
        names.uniq.sort.map { |name| [name, told(find(name).to_s)] }
      end

      def folder?(path) = @folders.key?(path.b)

      # Whether a name means what it meant: that path, or the same program elsewhere.
      def same?(name, told)
        was = told.sub(%r{\A~(?=/)}) { @home.to_s }
        found = find(name).to_s
        found == was || (!found.empty? && !was.empty? && equal?(found, was))
      end

      # The absolute path, or nil.
      def find(name)
        @found.fetch(name) do
          paths = @folders.values.map { |folder| "#{folder}/#{name}" }
          @found[name] = paths.find { |path| File.executable?(path) && !File.directory?(path) }
        end
      end

      # What is found from now on is looked for again.
      def forget = @found.clear

      private

      def told(path) = @home && path.start_with?("#{@home}/") ? "~#{path.delete_prefix(@home)}" : path

      def equal?(one, other)
        File.identical?(one, other) || (File.size(one) == File.size(other) && File.binread(one) == File.binread(other))
      rescue SystemCallError
        false
      end
    end
  end
end
