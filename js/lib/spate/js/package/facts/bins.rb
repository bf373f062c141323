# frozen_string_literal: true

module Spate
  module JS
    class Package
      class Facts
        # The commands of a package, from `bin` (a path, or paths by name) and `directories.bin`. Names become files in
        # a folder of commands, so only the last part of each is used. Each is {name => path in the package's folder}.
        class Bins
          # clamped: those that lead out of the package's folder, moved back into it as npm does: "../a" is "a".
          attr_reader :inside, :clamped, :of_folder

          # bin: as parsed; folder: of `directories.bin`, or nil; paths: of the package's files; name: the package's.
          def initialize(bin, folder, paths, name)
            @inside = {}
            @clamped = {}
            given(bin, name).each { |command, path| add(command, path) }
            @of_folder = bin.nil? || bin == "" ? files(folder, paths) : {}
          end

          # Of all.
          def paths = [@inside, @clamped, @of_folder].flat_map(&:values).uniq

          private

          def given(bin, name)
            case bin
            when String then name ? [[name, bin]] : []
            when Array then bin.grep(String).map { |path| [path, path] }
            when Hash then bin.to_a
            else []
            end
          end

          def add(command, path)
            name = last_part(command)
            clean = clean(path) if path.is_a?(String)
            return if name.nil? || clean.nil? || clean.empty?

            target = climbs?(path) ? @clamped : @inside
            target[name] = clean
          end

          def last_part(command)
            name = command.tr("\\\\:", "/").split("/").reject { |part| part.empty? || part == "." }.last
            name unless name.nil? || name == ".." || name.include?("\0") || !name.valid_encoding?
          end

          # As node's `path.join("/", path)`, without the slash.
          def clean(path)
            return if path.include?("\0") || !path.valid_encoding?

            parts(path).each_with_object([]) { |part, kept| part == ".." ? kept.pop : kept << part }.join("/")
          end

          def climbs?(path)
            depth = 0
            parts(path).any? { |part| (depth += part == ".." ? -1 : 1).negative? }
          end

          def parts(path) = path.tr("\\", "/").split("/").reject { |part| part.empty? || part == "." }

          # All files below the folder, by their own names.
          def files(folder, paths)
            return {} if folder.nil? || climbs?(folder)

            below = clean(folder).to_s
            found = paths.respond_to?(:below) ? paths.below(below) : below(paths, below)
            found.to_h { |path| [File.basename(path), path] }
          end

          def below(paths, folder)
            folder.empty? ? paths : paths.select { |path| path.start_with?("#{folder}/") }
          end
        end
      end
    end
  end
end
