# frozen_string_literal: true

module Spate
  module JS
    module Tools
      module KnownSettings
        class Pnpm
          # The type that pnpm 12 declares for each of its settings. It ends with ERR_PNPM_INVALID_SETTING where a file
          # gives a value of another type. A setting that is not listed may have any value.
          #
          # Stricter than pnpm where its rules and YAML's are unclear: of a boolean only `true` and `false` count, of
          # a number only decimal digits.
          module Types
            class << self
              # A lambda that returns whether a value is a list, or a mapping, of values of a type.
              def list(type) = ->(value) { value.is_a?(Array) && value.all?(type) }
              def map(type) = ->(value) { value.is_a?(Hash) && value.each_value.all?(type) }

              # A mapping that may have these keys.
              def fields(types)
                lambda do |value|
                  value.is_a?(Hash) && value.all? { |key, each| types.key?(key) && [each].all?(types[key]) }
                end
              end

              def one_of(*values) = ->(value) { values.include?(value) }
              private :list, :map, :fields, :one_of
            end

            BOOLEAN = one_of(true, false)
            COUNT = /\A(?:0|[1-9]\d{0,8})\z/
            INTEGER = /\A(?:0|-?[1-9]\d{0,8})\z/
            TEXTS = list(String)
            MAP = map(String)
            META = map(fields("optional" => BOOLEAN))
            EXTENSION = fields("dependencies" => MAP, "optionalDependencies" => MAP, "peerDependencies" => MAP,
                               "peerDependenciesMeta" => META)
            ON_FAIL = one_of("download", "error", "warn", "ignore")
            # Whether a package may run scripts, or a text that asks for a decision.
            BUILD = ->(value) { [true, false].include?(value) || (value.is_a?(String) && value.match?(/\A[a-z]/i)) }

            DECLARED = {
              BOOLEAN => %w[
                aggregateOutput allowUnusedPatches autoInstallPeers autoInstallPeersFromHighestMatch bail
                blockExoticSubdeps catalogPrune cleanupUnusedCatalogs dangerouslyAllowAllBuilds dedupeDirectDeps
                dedupeInjectedDeps dedupePeerDependents dedupePeers deployAllFiles disallowWorkspaceCycles embedReadme
                enableGlobalVirtualStore enableModulesDir enablePrePostScripts engineStrict excludeLinksFromLockfile
                extendNodePath failIfNoMatch forceIgnoresPlatform forceLegacyDeploy frozenLockfile frozenStore gitChecks
                gitBranchLockfile gitTagVersion hoist hoistWorkspacePackages ignoreCompatibilityDb ignorePnpmfile
                ignoreScripts ignoreWorkspace ignoreWorkspaceCycles ignoreWorkspaceRootCheck includeWorkspaceRoot
                initPackageManager injectWorkspacePackages legacyDirFiltering lockfile lockfileIncludeTarballUrl
                mergeGitBranchLockfiles minimumReleaseAgeExcludePrune minimumReleaseAgeIgnoreMissingTime
                minimumReleaseAgeStrict nodeExperimentalPackageMap offline optimisticRepeatInstall optional packageLock
                pending preferFrozenLockfile preferOffline preferSymlinkedExecutables preferWorkspacePackages progress
                provenance recursiveInstall registrySupportsTimeField reporterHidePrefix resolvePeersFromWorkspaceRoot
                reverse runtime saveExact savePeer shamefullyHoist sharedWorkspaceLockfile shellEmulator
                sideEffectsCache sideEffectsCacheReadonly skipManifestObfuscation sort stream strictDepBuilds
                strictPeerDependencies strictSsl strictStorePkgContentCheck symlink trustLockfile
                trustPolicyExcludePrune unsafePerm updateNotifier useBetaCli useStderr verifyStoreIntegrity
                virtualStoreOnly
              ],
              COUNT => %w[
                dlxCacheMaxAge fetchMinSpeedKiBps fetchRetries fetchRetryFactor fetchRetryMaxtimeout
                fetchRetryMintimeout fetchTimeout fetchWarnTimeoutMs maxSockets maxTarballUnpackedSize maxsockets
                minimumReleaseAge modulesCacheMaxAge networkConcurrency peersSuffixMaxLength trustPolicyIgnoreAfter
                virtualStoreDirMaxLength
              ],
              INTEGER => %w[childConcurrency workspaceConcurrency],
              String => %w[
                cacheDir globalPnpmfile globalVirtualStoreDir httpProxy httpsProxy initAuthorEmail initAuthorName
                initAuthorUrl initLicense initVersion localAddress lockfileDir modulesDir nodeOptions nodeVersion
                npmrcAuthFile patchesDir pnprServer proxy publishBranch registry saveCatalogName savePrefix scriptShell
                storeDir tag tagVersionPrefix userAgent virtualStoreDir
              ],
              TEXTS => %w[
                changedFilesIgnorePattern externalDependencies gitShallowHosts hoistPattern ignoredBuiltDependencies
                ignoredOptionalDependencies mergeGitBranchLockfilesBranchPattern minimumReleaseAgeExclude
                neverBuiltDependencies onlyBuiltDependencies packages publicHoistPattern requiredScripts
                syncInjectedDepsAfterScripts testPattern trustPolicyExclude
              ],
              MAP => %w[
                allowedDeprecatedVersions catalog configDependencies namedRegistries nodeDownloadMirrors overrides
                patchedDependencies
              ],
              # A frozen install does not use them; their keys are not listed here.
              fields({}) => %w[audit remoteSideEffectsCache tasks update versioning],
              map(BUILD) => %w[allowBuilds],
              map(MAP) => %w[catalogs],
              map(EXTENSION) => %w[packageExtensions],
              fields("ignoreCves" => TEXTS, "ignoreGhsas" => TEXTS) => %w[auditConfig],
              fields("ignoreMissing" => TEXTS, "allowAny" => TEXTS, "allowedVersions" => MAP) =>
                %w[peerDependencyRules],
              fields("os" => TEXTS, "cpu" => TEXTS, "libc" => TEXTS) => %w[supportedArchitectures],
              fields("ignoreDependencies" => TEXTS) => %w[updateConfig],
              ON_FAIL => %w[pmOnFail runtimeOnFail],
              one_of("auto", "hardlink", "copy", "clone", "clone-or-copy") => %w[packageImportMethod],
              one_of("default", "append-only", "ndjson", "silent") => %w[reporter],
              one_of("global", "project") => %w[virtualStoreType],
              one_of("highest", "time-based", "lowest-direct") => %w[resolutionMode],
              one_of("info", "low", "moderate", "high", "critical") => %w[auditLevel],
              one_of("isolated", "hoisted", "pnp", "loaded") => %w[nodeLinker],
              one_of("manual", "strict", "prefer") => %w[catalogMode],
              one_of("module", "commonjs") => %w[initType],
              one_of("none", "workspaces", "dependencies") => %w[hoistingLimits],
              one_of("off", "no-downgrade") => %w[trustPolicy],
              one_of("silent", "error", "warn", "info", "debug") => %w[loglevel],
              one_of("standard", "loose") => %w[nodePackageMapType],
              one_of(true, false, "always", "auto", "never") => %w[color],
              one_of(true, false, "deep") => %w[linkWorkspacePackages],
              one_of(true, false, "install", "warn", "error", "prompt") => %w[verifyDepsBeforeRun],
              one_of(true, false, "rolling") => %w[saveWorkspaceProtocol]
            }.flat_map { |type, names| names.map { |name| [name, type] } }.to_h.freeze

            # Whether a setting may have a value.
            def self.fits?(name, value) = !DECLARED.key?(name) || [value].all?(DECLARED[name])
          end
        end
      end
    end
  end
end
