# frozen_string_literal: true

require "json"

module Spate
  module JS
    module Npm
      # The package.json files of a project: the root's, and those of its workspaces and linked folders.
      class Project
        PACKAGE = "package.json"

        attr_reader :root

        # root: absolute. Raises LockfileError.
        def initialize(root)
          @root = root
          @folders = {}
        end

        # The root's package.json; {} if it is missing.
        def manifest = @manifest ||= Manifest.read(File.join(@root, PACKAGE)) || {}

        # The package.json of a folder; nil if it is missing. path: relative to the root.
        def folder(path)
          @folders.fetch(path) { @folders[path] = Manifest.read(File.join(@root, path, PACKAGE)) }
        end

        # { name => path } of the existing workspaces.
        def workspaces = @workspaces ||= manifest["workspaces"] ? Workspaces.find(self) : {}

        # Whether a package.json of the project has this folder as a dependency. path: relative to the root.
        def names?(path) = named.include?(File.expand_path(path, @root))

        # Absolute paths of files that were read or looked for, and of folders that were listed.
        def inputs
          found = [PACKAGE, *@folders.keys.map { |path| File.join(path, PACKAGE) }]
          found |= Workspaces.looked_at(self) if @workspaces && manifest["workspaces"]
          found.map { |path| path.empty? ? @root : File.join(@root, path) }
        end

        private

        def named
          @named ||= [[".", manifest], *workspaces.values.map { |path| [path, folder(path)] }]
                     .flat_map { |path, found| folders_in(path, found) }
        end

        def folders_in(path, found)
          Manifest::DEPENDENCIES.flat_map { |field| (found[field] || {}).values }
                                .grep(%r{\A(?:file:|link:|\.{1,2}/|/|~/)})
                                .map { |spec| File.expand_path(spec.sub(/\A(?:file|link):/, ""), "#{@root}/#{path}") }
        end

        # Reads a package.json of the project and normalizes it like npm: each field with several notations gets a
        # single one.
        #
        # https://docs.npmjs.com/cli/configuring-npm/package-json
        module Manifest
          BOM = "\uFEFF".b.force_encoding(Encoding::UTF_8).freeze
          DEPENDENCIES = %w[dependencies devDependencies optionalDependencies peerDependencies].freeze

          module_function

          # nil if it is missing. Raises LockfileError.
          def read(path)
            text = Reading.text(path).delete_prefix(BOM)
            raise LockfileError, "#{path}: invalid UTF-8" unless text.valid_encoding?

            normalize(JSON.parse(text, max_nesting: Lockfile::DEPTH), path)
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue JSON::ParserError => e
            raise Reading::Fault.error(path, text, e)
          end

          def normalize(data, path)
            raise LockfileError, "#{path}: expected an object, found #{Reading.kind(data)}" unless data.is_a?(Hash)

            DEPENDENCIES.each { |field| data[field] = only(String, data[field]) if data.key?(field) }
            data["optionalDependencies"]&.each_key { |name| data["dependencies"]&.delete(name) }
            data["peerDependenciesMeta"] = only(Hash, data["peerDependenciesMeta"]) if data.key?("peerDependenciesMeta")
            bundles(data)
            data["funding"] = { "url" => data["funding"] } if data["funding"].is_a?(String)
            bins = Bins.clean(data["bin"], data["name"])
            bins.empty? ? data.delete("bin") : data["bin"] = bins
            data
          end

          def only(type, value) = value.is_a?(Hash) ? value.select { |_, each| each.is_a?(type) } : {}

          def bundles(data)
            found = data.delete("bundledDependencies")
            data["bundleDependencies"] = found if found && !data.key?("bundleDependencies")
            case value = data["bundleDependencies"]
            when true then data["bundleDependencies"] = (data["dependencies"] || {}).keys
            when Hash then data["bundleDependencies"] = value.keys
            when Array then value
            else data.delete("bundleDependencies")
            end
          end
        end

        # Finds the folders that match package.json's `workspaces`. Patterns with "!" exclude folders.
        module Workspaces
          module_function

          # { name => path, relative to the root }. Raises LockfileError.
          def find(project)
            named(project, folders(project.root, *kept(patterns(project))))
          end

          # Paths, relative to the root, that change when a workspace is added: folders in which it would be, and
          # package.json files of missing folders that a pattern names literally.
          def looked_at(project)
            wanted, = kept(patterns(project))
            wanted.flat_map { |pattern| JS::Project::Braces.alternatives(all_below(pattern)) }
                  .flat_map { |pattern| Listed.of(project.root, pattern) }.uniq
          end

          def patterns(project)
            patterns = project.manifest["workspaces"]
            patterns = patterns["packages"] if patterns.is_a?(Hash)
            file = "#{project.root}/#{PACKAGE}"
            unless patterns.is_a?(Array) && patterns.all?(String)
              raise LockfileError, "#{file}: `workspaces`: expected a list of patterns"
            end

            JS::Project::Braces.check(patterns, file)
          end

          # [patterns, patterns of exclusions]. A later pattern cancels an earlier "!" that it covers.
          def kept(patterns)
            wanted = []
            unwanted = []
            patterns.each do |pattern|
              marks = pattern[/\A!*/].size
              pattern = pattern[marks..].sub(%r{\A\.?/+}, "").chomp("/").tr("\\", "/")
              next unwanted << pattern if marks.odd?

              unwanted.reject! { |out| File.fnmatch?(out, pattern, FLAGS) }
              wanted << pattern
            end
            [wanted, unwanted]
          end
          FLAGS = File::FNM_PATHNAME | File::FNM_EXTGLOB

          def folders(root, wanted, unwanted)
            found = wanted.flat_map { |pattern| Dir.glob(all_below(pattern), base: root) }
                          .map { |path| path.chomp("/") }
            found.uniq.reject do |path|
              path.start_with?("/", "../") || path.split("/").include?("node_modules") ||
                unwanted.any? { |out| File.fnmatch?(out, path, FLAGS) || File.fnmatch?(all_below(out), path, FLAGS) }
            end
          end

          # Ruby's "**" matches only folders if a "/" follows.
          def all_below(pattern) = pattern.sub(%r{(\A|/)\*\*\z}, '\1**/')

          def named(project, folders)
            folders.each_with_object({}) do |path, all|
              manifest = project.folder(path) or next
              name = manifest["name"] || Graph::Place.new(path, nil, {}).folder_name
              if all[name]
                raise LockfileError, "#{project.root}: the workspaces #{all[name]} and #{path} are both named #{name}"
              end

              all[name] = path
            end
          end
        end

        # Where a folder that matches a pattern may be created.
        module Listed
          MAGIC = /[*?\[]/

          module_function

          # Paths relative to the root: the folders that are listed for the pattern, existing or not, and the
          # package.json if the pattern requires no listing. pattern: without braces.
          def of(root, pattern)
            parts = pattern.split("/")
            return [File.join(pattern, PACKAGE)] if parts.grep(MAGIC).empty?

            parts.each_index.flat_map do |at|
              parts[at].match?(MAGIC) ? folders(root, parts[0...at], below: parts[at] == "**") : []
            end
          end

          # below: whether all folders inside are listed, too.
          def folders(root, parts, below:)
            found = parts.grep(MAGIC).empty? ? [parts.join("/")] : glob(root, "#{parts.join("/")}/")
            found += found.flat_map { |path| glob(root, path.empty? ? "**/" : "#{path}/**/") } if below
            found.reject { |path| path.start_with?("../") || path.split("/").include?("node_modules") }.uniq
          end

          def glob(root, pattern) = Dir.glob(pattern, base: root).map { |path| path.chomp("/") }
        end
      end
    end
  end
end
