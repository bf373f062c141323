# frozen_string_literal: true

require "json"

module Spate
  module JS
    module Npm
      # A package-lock.json or npm-shrinkwrap.json of version 2 or 3, validated: every key is a path inside the project
      # (or "../folder" for a link's target outside).
      #
      # https://docs.npmjs.com/cli/configuring-npm/package-lock-json
      class Lockfile
        KNOWN = [2, 3].freeze
        # Written by npm 12 if package.json has patches or extensions, which change packages.
        PATCHED = 4
        # The maximum nesting. No tool writes deeper JSON.
        DEPTH = 64
        # The kernel's limit for a path, in bytes.
        LONGEST_KEY = 4096
        # Fields of an entry that Spate reads.
        OBJECTS = %w[dependencies devDependencies optionalDependencies peerDependencies].freeze
        TEXTS = %w[version resolved integrity name].freeze

        # path: absolute, for messages. data: Hash of the whole file. places: { path => Place }, including the root.
        attr_reader :path, :data, :places
        # Paths of the workspaces, set by Planner.
        attr_accessor :workspaces

        # Raises LockfileError, LeftToTool.
        def self.read(path)
          new(path, Reading.bytes(path))
        rescue Errno::ENOENT
          raise LockfileError.new("#{path} does not exist", hint: "create it: npm install --package-lock-only")
        end

        def initialize(path, text)
          @path = path
          @data = parse(text)
          check_version
          @places = {}
          packages.each { |key, entry| @places[key] = place(key, entry) }
          @places[""] ||= Graph::Place.new("", nil, {})
          check_case
        end

        def root = @places[""]

        # A copy that does not contain the location of the project.
        def elsewhere = dup.tap { |copy| copy.path = File.basename(@path) }

        protected

        attr_writer :path

        private

        def parse(text)
          text = text.force_encoding(Encoding::UTF_8).delete_prefix(Project::Manifest::BOM)
          refuse("invalid UTF-8") unless text.valid_encoding?
          found = JSON.parse(text, max_nesting: DEPTH)
          found.is_a?(Hash) ? found : refuse("expected an object, found #{Reading.kind(found)}")
        rescue JSON::ParserError => e
          refuse("unresolved merge conflict") if text.match?(/^<<<<<<< /)
          refuse("invalid JSON: #{Reading::Fault.words(text, e)}")
        end

        def check_version
          version = @data["lockfileVersion"]
          return if KNOWN.include?(version)
          if version.nil? || version == 1
            raise LeftToTool, "a lockfile of version 1, which has no paths of packages; `npm install` makes a newer one"
          end
          raise LeftToTool, "a lockfile of version 4, with patches or extensions" if version == PATCHED

          raise LockfileError.new("#{@path}: `lockfileVersion`: expected 2 or 3, found #{Reading.shown(version)}",
                                  hint: "`npm install --lockfile-version 3` writes one that Spate reads")
        end

        def packages
          found = @data["packages"]
          raise LeftToTool, "a lockfile of version 2 without `packages`" if found.nil? && @data["lockfileVersion"] == 2

          found.is_a?(Hash) ? found : refuse("`packages`: expected an object, found #{Reading.kind(found)}")
        end

        def place(key, entry)
          refuse("#{key.inspect}: expected an object, found #{Reading.kind(entry)}") unless entry.is_a?(Hash)
          OBJECTS.each { |field| check_object(key, field, entry[field]) if entry[field] }
          TEXTS.each { |field| check_text(key, field, entry[field]) if entry[field] }
          check_meta(key, entry["peerDependenciesMeta"])
          Graph::Place.new(key, name_in(key), entry)
        end

        # The name after the last node_modules; nil for a folder.
        def name_in(key)
          raise UnsafePathError.new("#{key[0, 60]}...", @path) if key.bytesize > LONGEST_KEY

          start = key.rindex(Graph::Place::NODE_MODULES)
          return check_folder(key) unless start && (start.zero? || key[start - 1] == "/")

          name = key[start + Graph::Place::NODE_MODULES.size..]
          raise UnsafePathError.new(key, @path) if key.start_with?("/")

          Package::Name.check(name, @path)
          check_around(key[0, start - 1]) unless start.zero?
          name
        end

        # Checks the part before the name, unless it is a key itself.
        def check_around(path) = @places.key?(path) || name_in(path)

        def check_folder(key)
          inner = key.sub(%r{\A(?:\.\./)+}, "")
          Package::Name.check_path(inner, @path) unless key.empty? || inner == ".."
          raise UnsafePathError.new(key, @path) if key.split("/").include?("node_modules")
        end

        # Rejects keys that differ only in case: some file systems treat them as the same folder.
        def check_case
          seen = {}
          @places.each_key do |key|
            other = seen[key.downcase]
            refuse("#{[key, other].sort.join(" and ")} differ only in case") if other
            seen[key.downcase] = key
          end
        end

        def check_text(key, field, value)
          return if value.is_a?(String)

          refuse("#{key.inspect}: `#{field}`: expected a string, found #{Reading.shown(value)}")
        end

        def check_meta(key, value)
          return if value.nil? || (value.is_a?(Hash) && value.each_value.all?(Hash))

          refuse("#{key.inspect}: `peerDependenciesMeta`: expected objects, found #{Reading.shown(value)}")
        end

        def check_object(key, field, value)
          return if value.is_a?(Hash) && value.each_value.all?(String)

          refuse("#{key.inspect}: `#{field}`: expected names and versions, found #{Reading.shown(value)}")
        end

        def refuse(text)
          raise LockfileError.new("#{@path}: #{text}",
                                  hint: "restore it from its last commit, or regenerate it: npm install")
        end
      end
    end
  end
end
