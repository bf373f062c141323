# frozen_string_literal: true

module Spate
  module Build
    # What probes of a build looked for that was nowhere: headers that the programs in mkmf.log include, libraries that
    # its commands link. Once one of them is there, the build would come out otherwise.
    class Absent
      INCLUDED = /^\s*\d*:?\s*#\s*include\s*[<"]([^>"\s\0]+)[>"]/
      # Options of a command: " -lfoo", " -I/opt/include", " -L/opt/lib"; mkmf itself writes "in -lfoo...".
      LINKED = /(?<=\s)-l([\w.+-]*[\w+-])/
      FOLDER = %r{(?<=[\s"'])-([IL])(/[^\s"'\0]+)}

      # Of those that a Record keeps, the paths that are there.
      def self.found(absent)
        absent.filter_map do |name, *folders|
          folders.lazy.map { |folder| "#{folder}/#{name}" }.find { |path| File.exist?(path) }
        end
      end

      # root: the bundle's folder; what it brings is not the machine's.
      def initialize(toolchain, root)
        @toolchain = toolchain
        @root = root
      end

      # [[name, *folders it was in none of]], of these logs.
      def of(logs)
        text = logs.map { |path| File.binread(path).force_encoding(Encoding::UTF_8).scrub }.join("\n")
        return [] if text.empty?

        headers = lacking(text.scan(INCLUDED).flatten.uniq, places(text, "I", @toolchain.header_folders))
        libraries = text.scan(LINKED).flatten.uniq.map { |name| ["lib#{name}.so", "lib#{name}.a", "lib#{name}.dylib"] }
        headers + lacking(libraries, places(text, "L", @toolchain.library_folders))
      end

      private

      def places(text, letter, known)
        named = text.scan(FOLDER).filter_map { |option, folder| folder if option == letter }
        (named.reject { |folder| folder.start_with?("#{@root}/") } + known).uniq
      end

      # names: each one, or all under which it may be found.
      def lacking(names, folders)
        names.select { |all| Absent.found([*all].map { |name| [name, *folders] }).empty? }
             .flatten.map { |name| [name, *folders] }
      end
    end
  end
end
