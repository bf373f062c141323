# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Whether lockfile, package.json files and settings say the same, as `--frozen-lockfile` demands.
      class Agreement
        autoload :Specifiers, "spate/js/pnpm/agreement/specifiers"

        # lockfile: Lockfile. workspace: Workspace. settings: Settings.
        def initialize(lockfile, workspace, settings)
          @lockfile = lockfile
          @workspace = workspace
          @settings = settings
        end

        # Raises DisagreementError, which names everything.
        def check
          found = projects + specifiers + settings + patches
          return if found.empty?

          raise DisagreementError.new("pnpm-lock.yaml does not agree with the project: #{found.join("; ")}",
                                      hint: "`pnpm install` writes a lockfile that does")
        end

        private

        # Projects that the lockfile lacks. Importers without a project are skipped: a container may have only some.
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

        # Up to pnpm 10 the path counts, too; later versions read that form as its digest.
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
      end
    end
  end
end
