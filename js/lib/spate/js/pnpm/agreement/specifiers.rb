# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Agreement
        # One project's package.json against its importer in the lockfile.
        class Specifiers
          GROUPS = %w[optionalDependencies dependencies devDependencies].freeze
          # Specifiers that cannot be a peer's range: with one of them the peer is a dependency.
          NO_PEER = /\A(?!(?:workspace|catalog):)[a-z+]+:/

          # importer: Lockfile::Importer. manifest: the package.json. overrides: { selector => specifier }. ignored:
          # patterns of ignoredOptionalDependencies. peers: whether pnpm installs missing peers. root: of the project.
          def initialize(importer, manifest, overrides, ignored, peers:, root:)
            @root = root
            @importer = importer
            @manifest = manifest
            @overrides = overrides
            @ignored = Matcher.new(ignored)
            @peers = peers
          end

          # [String, ...] for people.
          def differences
            wanted = wanted()
            found = GROUPS.flat_map { |group| group(group, wanted[group], @importer.group(group)) }
            found << "publishConfig.directory differs" if publish != @importer.publish
            found << "dependenciesMeta differs" if meta(@manifest["dependenciesMeta"]) != meta(@importer.meta)
            found.map { |each| "#{@importer.id == "." ? "" : "#{@importer.id}: "}#{each}" }
          end

          private

          # { group => { name => specifier } }, each name in the first group that has it.
          def wanted
            seen = {}
            all = GROUPS.to_h do |group|
              found = declared(group)
              found = overridden_peers.merge(found) if group == "dependencies"
              found = found.except(*seen.keys)
              found = found.reject { |name, _| ignored?(name) } unless group == "devDependencies"
              [group, found.each_key { |name| seen[name] = true }]
            end
            all["dependencies"] = declared("peerDependencies").except(*seen.keys).merge(all["dependencies"]) if @peers
            all
          end

          def overridden_peers
            declared("peerDependencies").select do |name, _|
              @overrides.any? { |selector, value| NO_PEER.match?(value) && about?(selector, name) }
            end
          end

          def about?(selector, name) = selector[/(?:\A|>)((?:@[^@>]+|[^@>]+))(?:@[^>]*)?\z/, 1] == name

          def ignored?(name) = @ignored.match?(name) && declared("optionalDependencies").key?(name)

          def declared(group)
            found = @manifest[group]
            found.is_a?(Hash) ? found.select { |_, value| value.is_a?(String) } : {}
          end

          def group(group, wanted, locked)
            (wanted.keys | locked.keys).filter_map do |name|
              specifier = locked[name]&.first
              next if specifier == wanted[name] || overridden?(name, specifier)

              "#{name} is #{wanted[name] || "not"} in #{group} of package.json, #{specifier || "not"} in the lockfile"
            end
          end

          # Whether an override makes a dependency what the lockfile has ("-" removes one).
          def overridden?(name, specifier)
            @overrides.any? { |selector, value| about?(selector, name) && (specifier || "-") == local(value) }
          end

          # A folder is named from the root there, and from the project in the lockfile.
          def local(value)
            protocol, path = value.match(%r{\A((?:link|file):)(?!/)(.*)}m)&.captures
            return value unless protocol

            protocol + Layout.relative(@importer.id, path, @root)
          end

          def publish
            config = @manifest["publishConfig"]
            config["directory"] if config.is_a?(Hash)
          end

          def meta(value) = value.is_a?(Hash) ? value : {}
        end
      end
    end
  end
end
