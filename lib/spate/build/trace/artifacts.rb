# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The files that a build made or changed, and what they say of where they work.
      class Artifacts
        # Left behind by the build and read by no running program: logs, makefiles, objects. They name the folder they
        # were made in; so do those that Bundler copies from one bundle to another.
        LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}
        # What compilers call their sources, in messages of assertions.
        SOURCE = '(?:/[\w.+@-]+)+\.(?:rs|(?:[ch]|cc|hh|[ch]pp)\b)'
        # What is shorter, or a short number, is part of too much.
        VALUE = %r{\A/.|....|(?=.*[a-z])...}i

        # paths: absolute, no folders. root: the bundle's folder. loaded: the gem's require paths.
        def initialize(paths, root, loaded)
          @paths = paths
          @root = root
          @loaded = loaded
          @binaries = paths.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
        end

        # Whether a file works only where the bundle lies now.
        def names_root? = names?(Regexp.escape(@root.b))

        # Which variables' values it has. variables: {name => value, bytes}.
        def baked(variables)
          texts = variables.select { |_, value| VALUE.match?(value) }
                           .transform_values { |value| "(?<!\\w)#{Regexp.escape(value)}(?!\\w|#{SOURCE})" }
          return [] unless texts.any? && names?(texts.values.join("|"))

          texts.filter_map { |name, text| name if names?(text) }
        end

        # Whether one of them has the content of a library.
        def copy?(library)
          same = @binaries.keys.select { |path| File.size(path) == File.size?(library) }
          same.any? { |path| Content.of(path) == Content.of(library) }
        end

        # Names of libraries that the loader must find, and that are none of these files.
        def needed = @binaries.values.flat_map(&:needed).uniq - @paths.map { |path| File.basename(path) }

        private

        # Whether a running program reads what a pattern's text means.
        def names?(text)
          pattern = Regexp.new(text, Regexp::NOENCODING)
          @paths.any? do |path|
            next @binaries[path].mapped?(pattern) if @binaries[path]
            next File.readlink(path).b.match?(pattern) if File.symlink?(path)

            !LEFTOVER.match?(path.b) && loaded?(path) && Content.of(path).to_s.match?(pattern)
          end
        end

        # cargo's whole target folder lies in the extension's; of that, only Ruby files are loaded. A name may be of
        # whatever bytes.
        def loaded?(path) = path.end_with?(".rb") || path.start_with?(*@loaded.map { |folder| "#{folder}/" })
      end
    end
  end
end
