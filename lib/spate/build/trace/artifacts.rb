# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The files that a build made or changed, and which paths and values they contain.
      class Artifacts
        # Left behind by the build and not read by running programs: logs, makefiles, objects. They name the folder they
        # were made in, also when Bundler copies them from one bundle to another.
        LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}
        # How compilers name sources in messages of assertions.
        SOURCE = '(?:/[\w.+@-]+)+\.(?:rs|(?:[ch]|cc|hh|[ch]pp)\b)'
        # Shorter texts and short numbers occur everywhere.
        VALUE = %r{\A/.|....|(?=.*[a-z])...}i

        # paths: absolute, no folders. root: the bundle's folder. loaded: the gem's require paths.
        def initialize(paths, root, loaded)
          @paths = paths
          @root = root
          @loaded = loaded
          @binaries = paths.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
        end

        # Whether a file works only at the bundle's present place.
        def names_root? = names?(Regexp.escape(@root.b))

        # Names of variables whose values it contains. variables: {name => value, bytes}.
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

        # Names of libraries that the loader must find elsewhere.
        def needed = @binaries.values.flat_map(&:needed).uniq - @paths.map { |path| File.basename(path) }

        private

        # Whether a running program would read a match of the pattern.
        def names?(text)
          pattern = Regexp.new(text, Regexp::NOENCODING)
          @paths.any? do |path|
            next @binaries[path].mapped?(pattern) if @binaries[path]
            next File.readlink(path).b.match?(pattern) if File.symlink?(path)

            !LEFTOVER.match?(path.b) && loaded?(path) && Content.of(path).to_s.match?(pattern)
          end
        end

        # cargo's whole target folder lies in the extension's, and only its Ruby files are loaded. Names may be any
        # bytes.
        def loaded?(path) = path.end_with?(".rb") || path.start_with?(*@loaded.map { |folder| "#{folder}/" })
      end
    end
  end
end
