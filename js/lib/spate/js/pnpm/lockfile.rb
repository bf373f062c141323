# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # A pnpm-lock.yaml of version 9, validated: names are valid, and every dependency refers to an existing package.
      #
      # Since pnpm 11 the file may have a document for pnpm's own tools before the project's document.
      class Lockfile
        VERSION = "9.0"
        GROUPS = %w[dependencies devDependencies optionalDependencies].freeze

        # One package with one set of peers.
        #
        # key:: "foo@1.0.0(bar@2.0.0)"
        # name:: "foo"
        # version:: the part of the package's key after the name: "1.0.0", "https://...", "file:..."
        # entry:: its Hash in `packages`
        # needs:: { alias => key } of its dependencies; wants:: of its optional dependencies
        # links:: { alias => path relative to the lockfile's folder }
        # optional:: whether every path to it has an optional dependency
        Snapshot = Struct.new(:key, :name, :version, :entry, :needs, :wants, :links, :optional)

        # A project of the workspace. Each group: { alias => [specifier, version] }.
        #
        # id:: its folder, "." for the lockfile's folder
        Importer = Struct.new(:id, :dependencies, :devDependencies, :optionalDependencies, :meta, :publish) do
          def group(name) = self[name]
        end

        def self.read(path)
          new(Reading.text(path), path)
        rescue Errno::ENOENT
          raise LockfileError.new("#{path} does not exist", hint: "create it: pnpm install")
        end

        # text: the project's document. data: the project's document as a Hash. tools: the Hash of the document before
        # it, or nil.
        attr_reader :path, :text, :data, :tools, :importers, :packages, :snapshots
        # { id => Importer } of missing projects, after #restrict.
        attr_reader :absent

        def initialize(text, path)
          @path = path
          @text = text
          documents = documents(text)
          @data = documents.last
          @tools = documents.first if documents.size > 1
          check_version
          @packages = mapping(@data, "packages")
          @names = {}
          @importers = mapping(@data, "importers").to_h { |id, entry| [id, importer(id, entry)] }
          @absent = {}
          @snapshots = mapping(@data, "snapshots").to_h { |key, entry| [key, snapshot(key, entry || {})] }
          @snapshots.each_value { |each| check_needs(each) }
        end

        # Leaves out importers of missing projects; pnpm installs the others. ids: of the existing projects.
        def restrict(ids)
          @importers, @absent = [@importers.slice(*@importers.keys & ids), @importers.except(*ids)]
        end

        # The value of a key at the top level; nil if it is missing.
        def [](key) = @data[key]
        def settings = mapping(@data, "settings")
        def overrides = mapping(@data, "overrides")
        def patches = mapping(@data, "patchedDependencies")

        # { catalog => { name => specifier } }
        def catalogs
          catalogs = mappings(@data, "catalogs")
          catalogs.transform_values { |all| mappings(all).transform_values { |entry| entry["specifier"] } }
        end

        # The pnpm version in the document of its own tools, or nil.
        def own_version
          %w[importers . packageManagerDependencies pnpm version].reduce(@tools) do |found, key|
            found.is_a?(Hash) ? found[key] : nil
          end&.to_s
        end

        # The Snapshot of an importer's dependency; nil for a link.
        def direct(name, version)
          key = DepPath.resolve(name, version) or return
          @snapshots[key] or raise LockfileError, "#{@path}: #{name} is #{key.inspect}, which is not in `snapshots`"
        end

        private

        def documents(text)
          found = Yaml.documents(text, @path).compact
          raise LockfileError, "#{@path}: expected at most 2 documents, found #{found.size}" if found.size > 2

          found << {} if found.empty?
          found.each do |each|
            raise LockfileError, "#{@path}: expected a mapping, found #{Reading.kind(each)}" unless each.is_a?(Hash)
          end
          @text = text[(text.rindex(/^---\s*$/) || 0)..].sub(/\A---\s*\n/, "") if found.size > 1
          found
        end

        def check_version
          version = @data["lockfileVersion"].to_s
          return if version == VERSION

          raise LeftToTool, ["lockfileVersion #{version}"] if version.match?(/\A[5-8](\.\d+)?\z/)

          raise LockfileError.new("#{@path}: `lockfileVersion`: expected #{VERSION}, found #{Reading.shown(version)}",
                                  hint: "create one with pnpm 9 or newer: pnpm install")
        end

        def mapping(hash, key)
          value = hash[key]
          return {} if value.nil?

          return value if value.is_a?(Hash)

          raise LockfileError, "#{@path}: `#{key}`: expected a mapping, found #{Reading.kind(value)}"
        end

        # Like mapping, but each value must be a mapping, too.
        def mappings(hash, key = nil)
          hash = mapping(hash, key) if key
          hash.to_h { |name, _| [name, mapping(hash, name)] }
        end

        def importer(id, entry)
          Package::Name.check_path(id, "#{@path}: importers") unless id == "."
          raise UnsafePathError.new(id, "#{@path}: importers") if id.match?(/\A[a-z]:|\\/i)

          entry = {} if entry.nil?
          raise LockfileError, "#{@path}: importer #{id}: expected a mapping" unless entry.is_a?(Hash)

          Importer.new(id, *GROUPS.map { |group| direct_group(id, mapping(entry, group)) },
                       entry["dependenciesMeta"], entry["publishDirectory"])
        end

        def direct_group(id, entries)
          entries.to_h do |name, entry|
            checked(name)
            specifier, version = entry.values_at("specifier", "version") if entry.is_a?(Hash)
            next [name, [specifier, version]] if specifier.is_a?(String) && version.is_a?(String)

            raise LockfileError, "#{@path}: importer #{id}: #{name}: expected specifier and version"
          end
        end

        def snapshot(key, entry)
          name, version = DepPath.split(package = DepPath.package(key))
          checked(name)
          found = @packages[package] or raise LockfileError, "#{@path}: #{package.inspect} is not in `packages`"
          raise LockfileError, "#{@path}: #{key}: expected a mapping" unless found.is_a?(Hash) && entry.is_a?(Hash)

          links = {}
          Snapshot.new(key, name, version, found, references(entry, "dependencies", links),
                       references(entry, "optionalDependencies", links), links, entry["optional"] == true)
        end

        NONE = {}.freeze

        # Returns { alias => key }, and adds links to `links`.
        def references(entry, group, links)
          found = entry[group] or return NONE
          raise LockfileError, "#{@path}: `#{group}`: expected a mapping" unless found.is_a?(Hash)

          found.each_with_object({}) do |(name, reference), all|
            checked(name)
            raise LockfileError, "#{@path}: #{name}: expected a version" unless reference.is_a?(String)

            key = DepPath.resolve(name, reference)
            key ? all[name] = key : links[name] = reference.delete_prefix("link:")
          end
        end

        def checked(name)
          @names[name] ||= Package::Name.check(name, @path)
        end

        def check_needs(snapshot)
          [snapshot.needs, snapshot.wants].each do |needs|
            needs.each_value do |key|
              next if @snapshots.key?(key)

              raise LockfileError, "#{@path}: #{snapshot.key} needs #{key.inspect}, which is not in `snapshots`"
            end
          end
        end
      end
    end
  end
end
