# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The files created or changed by a build, and the paths and values that they contain.
      class Artifacts
        # Source file names as compilers put them into assertion messages.
        SOURCE = '(?:/[\w.+@-]+)+\.(?:rs|(?:[ch]|cc|hh|[ch]pp)\b)'
        # Values worth searching for: shorter texts and short numbers occur everywhere.
        VALUE = %r{\A/.|....|(?=.*[a-z])...}i

        # paths: absolute, without folders. root: the bundle's folder. The block returns whether running programs read a
        # file.
        def initialize(paths, root, &read)
          @paths = paths
          @root = root
          @read = read
          @binaries = paths.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
        end

        # Whether a file contains the bundle's path, so that it works only there.
        def names_root? = names?(Regexp.escape(@root.b))

        # Names of variables whose values are in the files. variables: {name => value, bytes}.
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

        # Names of libraries that the loader must find outside of these files.
        def needed = @binaries.values.flat_map(&:needed).uniq - @paths.map { |path| File.basename(path) }

        private

        # Whether a file read by a running program matches the pattern.
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
