# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The files that a build created or changed. Searches them for paths and values of variables.
      class Artifacts
        # Matches the rest of a source file's path. Compilers put such paths into assertion messages.
        SOURCE = '(?:/[\w.+@-]+)+\.(?:rs|(?:[ch]|cc|hh|[ch]pp)\b)'
        # Values to search for. Shorter texts and short numbers occur by chance.
        VALUE = %r{\A/.|....|(?=.*[a-z])...}i

        # paths: absolute paths of files. root: the bundle's folder. The block returns whether programs read a file at
        # run time.
        def initialize(paths, root, &read)
          @paths = paths
          @root = root
          @read = read
          @binaries = paths.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
        end

        # Whether a file contains the bundle's path, so that it works only in this bundle.
        def names_root? = names?(Regexp.escape(@root.b))

        # Names of the variables whose values occur in the files. variables: {name => value, bytes}.
        def baked(variables)
          texts = variables.select { |_, value| VALUE.match?(value) }
                           .transform_values { |value| "(?<!\\w)#{Regexp.escape(value)}(?!\\w|#{SOURCE})" }
          return [] unless texts.any? && names?(texts.values.join("|"))

          texts.filter_map { |name, text| name if names?(text) }
        end

        # Whether one of the files is a copy of a library.
        def copy?(library)
          same = @binaries.keys.select { |path| File.size(path) == File.size?(library) }
          same.any? { |path| Content.of(path) == Content.of(library) }
        end

        # Names of libraries that the files load and that are not among them.
        def needed = @binaries.values.flat_map(&:needed).uniq - @paths.map { |path| File.basename(path) }

        private

        # Whether a file that programs read at run time matches the pattern.
        def names?(text)
          pattern = Regexp.new(text, Regexp::NOENCODING)
          @paths.any? do |path|
            next @binaries[path].mapped?(pattern) if @binaries[path]
            next File.readlink(path).b.match?(pattern) if File.symlink?(path)

            @read.call(path) && Content.of(path).to_s.match?(pattern)
          end
        end
      end
    end
  end
end
