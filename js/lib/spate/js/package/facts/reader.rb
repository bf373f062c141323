# frozen_string_literal: true

module Spate
  module JS
    class Package
      class Facts
        # Reads the package.json of an untrusted archive.
        class Reader
          IMPLIED_BUILD = "node-gyp rebuild"
          # Maximum bytes of an executable's first line that affect how it is started.
          FIRST_LINE = 512

          # The paths of a folder on disk.
          Folder = Struct.new(:path) do
            def include?(inside) = File.file?(File.join(path, inside))

            def below(folder)
              Dir.glob("#{folder.empty? ? "" : "#{folder}/"}**/*", base: path).select { |inside| include?(inside) }
            end
          end

          def initialize(package_json, paths, whose, first_line)
            @text = package_json
            @paths = paths
            @whose = whose
            @first_line = first_line
          end

          def call
            @data = parse
            bins = Bins.new(@data["bin"], folder, @paths, name)
            Facts.new(name: name, version: text(@data["version"]), bins: bins.inside, clamped_bins: bins.clamped,
                      folder_bins: bins.of_folder, missing: bins.paths.reject { |path| there?(path) },
                      shebangs: shebangs(bins), scripts: scripts, engines: engines,
                      os: list("os"), cpu: list("cpu"), libc: list("libc"), bundled: bundled,
                      gitignores: @paths.grep(%r{(?:\A|/)\.gitignore\z}))
          end

          private

          # Like npm, ignores a byte order mark.
          def parse
            require "json"
            data = JSON.parse(@text.b.delete_prefix("\xEF\xBB\xBF".b).force_encoding(Encoding::UTF_8).scrub)
            data.is_a?(Hash) ? data : raise(PackageFileError.new(@whose, "it does not contain an object"))
          rescue JSON::ParserError => e
            raise PackageFileError.new(@whose, e.message.lines.first.to_s.chomp)
          end

          def name
            found = text(@data["name"])
            found if found && Name::NAME.match?(found)
          end

          def folder
            directories = @data["directories"]
            text(directories["bin"]) if directories.is_a?(Hash)
          end

          # A Hash lookup, because a package may have as many executables as files.
          def there?(path)
            @there ||= @paths.is_a?(Array) ? @paths.to_h { |each| [each, true] } : @paths
            @there.include?(path)
          end

          # Only reads files that exist.
          def shebangs(bins)
            return {} unless @first_line

            bins.paths.select { |path| there?(path) }.filter_map do |path|
              line = @first_line.call(path).to_s.dup.force_encoding(Encoding::UTF_8).scrub
              [path, line] if line.start_with?("#!")
            end.to_h
          end

          def scripts
            given = @data["scripts"]
            found = given.is_a?(Hash) ? given.slice(*OWN).select { |_, command| text(command) } : {}
            found["install"] = IMPLIED_BUILD if implied?(found)
            found
          end

          def implied?(found)
            @paths.include?("binding.gyp") && !found.key?("install") && !found.key?("preinstall") &&
              @data["gypfile"] != false
          end

          def engines
            given = @data["engines"]
            given.is_a?(Hash) ? given.select { |_, range| text(range) } : {}
          end

          def list(key) = Array(@data[key]).grep(String).reject(&:empty?)

          # Accepts either spelling; true means all dependencies.
          def bundled
            given = @data["bundleDependencies"] || @data["bundledDependencies"]
            given = @data["dependencies"].to_h.keys if given == true && @data["dependencies"].is_a?(Hash)
            given = given.keys if given.is_a?(Hash)
            Array(given).grep(String).select { |name| Name::NAME.match?(name) }
          end

          def text(value) = value.is_a?(String) && !value.empty? && !value.include?("\0") ? value : nil
        end

        # The commands of a package, from `bin` (a path, or paths by name) and `directories.bin`. Names become files in
        # a folder of commands, so only the last part of each is used. Each attribute has the form
        # { name => path in the package }.
        class Bins
          # clamped: bins whose paths lead out of the package's folder, moved back into it like npm does: "../a" becomes
          # "a".
          attr_reader :inside, :clamped, :of_folder

          # bin: the parsed field; folder: value of `directories.bin`, or nil; paths: all files of the package; name:
          # its name.
          def initialize(bin, folder, paths, name)
            @inside = {}
            @clamped = {}
            given(bin, name).each { |command, path| add(command, path) }
            @of_folder = bin.nil? || bin == "" ? files(folder, paths) : {}
          end

          # The paths of all bins.
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

          # Like node's `path.join("/", path)`, without the leading slash.
          def clean(path)
            return if path.include?("\0") || !path.valid_encoding?

            parts(path).each_with_object([]) { |part, kept| part == ".." ? kept.pop : kept << part }.join("/")
          end

          def climbs?(path)
            depth = 0
            parts(path).any? { |part| (depth += part == ".." ? -1 : 1).negative? }
          end

          def parts(path) = path.tr("\\", "/").split("/").reject { |part| part.empty? || part == "." }

          # { file name => path } of all files below the folder.
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
