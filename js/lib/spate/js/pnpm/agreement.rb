# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Checks whether lockfile, package.json files and settings agree, as `--frozen-lockfile` requires.
      class Agreement
        # lockfile: Lockfile. workspace: Workspace. settings: Settings.
        def initialize(lockfile, workspace, settings)
          @lockfile = lockfile
          @workspace = workspace
          @settings = settings
        end

        # Raises DisagreementError, which lists all differences.
        def check
          found = projects + specifiers + settings + patches
          return if found.empty?

          raise DisagreementError.new("pnpm-lock.yaml does not match the project: #{found.join("; ")}",
                                      hint: "run `pnpm install` to update the lockfile")
        end

        private

        # Projects that the lockfile lacks. Importers without a project are skipped: a container may have only some
        # projects.
        def projects
          (@workspace.folders - @lockfile.importers.keys).map { |id| "the lockfile has no importer #{id}" }
        end

        def specifiers
          ignored = @settings["ignoredOptionalDependencies"] || []
          shared = @workspace.manifests.slice(*@workspace.folders)
          @lockfile.importers.slice(*shared.keys).flat_map do |id, importer|
            Specifiers.new(importer, shared[id], @workspace.overrides || {}, ignored,
                           peers: @settings["autoInstallPeers"], root: File.dirname(@lockfile.path)).differences
          end
        end

        # Compares the settings that the lockfile records because they affect resolution.
        def settings
          [compare("overrides", @lockfile.overrides, @workspace.overrides || {}),
           compare("packageExtensionsChecksum", @lockfile["packageExtensionsChecksum"], extensions),
           compare("ignoredOptionalDependencies", Array(@lockfile["ignoredOptionalDependencies"]).map(&:to_s).sort,
                   Array(@settings["ignoredOptionalDependencies"]).sort), *flags, *catalogs].compact
        end

        def extensions
          given = @settings["packageExtensions"]
          return unless given.is_a?(Hash) && given.any?

          @settings.before?(10, 0) ? ObjectHash.old_checksum(given) : ObjectHash.checksum(given)
        end

        def flags
          kept = @lockfile.settings
          %w[autoInstallPeers excludeLinksFromLockfile].filter_map do |name|
            compare("settings.#{name}", kept[name] == true, @settings[name]) if kept.key?(name)
          end + [compare("settings.dedupePeers", kept["dedupePeers"] == true, @settings["dedupePeers"]),
                 compare("settings.peersSuffixMaxLength", (kept["peersSuffixMaxLength"] || 1000).to_i,
                         @settings["peersSuffixMaxLength"])].compact
        end

        def catalogs
          @lockfile.catalogs.flat_map do |catalog, entries|
            entries.filter_map do |name, specifier|
              compare("catalogs.#{catalog}.#{name}", specifier, @settings.catalogs.dig(catalog, name)&.to_s)
            end
          end
        end

        # Up to pnpm 10 the patch's path is compared, too. Later versions compare only digests, also for
        # an entry with a path.
        def patches
          locked = @lockfile.patches
          found = @workspace.patch_hashes
          if @settings.major > 10
            locked = locked.transform_values { |value| value.is_a?(Hash) ? value["hash"] : value }
          else
            found = found.to_h { |key, hash| [key, { "hash" => hash, "path" => @workspace.patch_files[key] }] }
          end
          (locked.keys | found.keys).filter_map { |key| compare("the patch of #{key}", locked[key], found[key]) }
        end

        def compare(name, locked, found)
          return if locked == found

          locked, found = [locked, found].map { |value| value.nil? ? "nothing" : JSON.generate(value) }
          "#{name}: the lockfile has #{locked}, expected #{found}"
        end

        # Compares a project's package.json with its importer in the lockfile.
        class Specifiers
          GROUPS = %w[optionalDependencies dependencies devDependencies].freeze
          # Specifiers that are not valid as a peer's range, so that the peer is treated as a dependency.
          NO_PEER = /\A(?!(?:workspace|catalog):)[a-z+]+:/

          # importer: Lockfile::Importer. manifest: the package.json. overrides: { selector => specifier }. ignored:
          # patterns of ignoredOptionalDependencies. peers: whether pnpm installs missing peers. root: the lockfile's
          # folder.
          def initialize(importer, manifest, overrides, ignored, peers:, root:)
            @root = root
            @importer = importer
            @manifest = manifest
            @overrides = overrides
            @ignored = Matcher.new(ignored)
            @peers = peers
          end

          # [String, ...] for the user.
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

          # Whether an override explains why the lockfile has a different specifier than package.json. "-" removes the
          # dependency.
          def overridden?(name, specifier)
            @overrides.any? { |selector, value| about?(selector, name) && (specifier || "-") == local(value) }
          end

          # A folder in an override is relative to the root, in the lockfile it is relative to the project.
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
