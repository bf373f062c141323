# frozen_string_literal: true

module Spate
  module JS
    module Tools
      module KnownSettings
        # Settings of pnpm, from its `types.js` and its lists of known settings, of versions 10, 11 and 12.
        class Pnpm
          # Settings that are compared with the lockfile, or checked before anything is placed.
          APPLIED = %w[allowUnusedPatches autoInstallPeers catalog catalogs dedupePeers excludeLinksFromLockfile
                       ignoredOptionalDependencies minimumReleaseAge minimumReleaseAgeExclude
                       minimumReleaseAgeIgnoreMissingTime minimumReleaseAgeStrict overrides packageExtensions packages
                       patchedDependencies peersSuffixMaxLength trustLockfile].freeze
          LEFT = {
            "configDependencies" => [{}], "dev" => [], "disallowWorkspaceCycles" => [false], "dryRun" => [false],
            "enableModulesDir" => [true], "enablePnp" => [false], "engineStrict" => [false], "executionEnv" => [{}],
            "failIfNoMatch" => [false], "filter" => [[]], "filterProd" => [[]], "force" => [false],
            "forceIgnoresPlatform" => [true], "frozenStore" => [false], "gitBranchLockfile" => [false],
            "global" => [false], "globalPnpmfile" => [], "ignoreWorkspace" => [false],
            "includeWorkspaceRoot" => [false], "injectWorkspacePackages" => [false], "lockfile" => [true],
            "lockfileDir" => [], "lockfileDirectory" => [], "lockfileOnly" => [false],
            "managePackageManagerVersions" => [true], "maxTarballUnpackedSize" => [],
            "mergeGitBranchLockfiles" => [false], "mergeGitBranchLockfilesBranchPattern" => [[]],
            "modulesDirsByProjectName" => [{}], "namedRegistries" => [{}], "nodeExperimentalPackageMap" => [false],
            "nodeLinker" => ["isolated"], "nodePackageMapType" => ["standard"], "offline" => [false], "only" => [],
            "optional" => [true], "packageConfigs" => [{}],
            "packageImportMethod" => %w[auto hardlink copy clone-or-copy], "packageLock" => [true],
            "packageManagerStrict" => [false], "packageManagerStrictVersion" => [false],
            "pmOnFail" => %w[download warn ignore], "pnpmfile" => [], "pnprServer" => [], "production" => [],
            "recursiveInstall" => [true], "requiredScripts" => [[]], "runtime" => [true],
            "runtimeOnFail" => %w[download warn ignore], "sharedWorkspaceLockfile" => [true],
            "strictDepBuilds" => [false], "strictPeerDependencies" => [false], "symlink" => [true],
            "trustPolicy" => ["off"], "useNodeVersion" => [], "virtualStoreOnly" => [false],
            "workspacePackages" => [[]], "workspaceRoot" => [false]
          }.freeze
          # pnpm rejects two settings of the same group: both are lists of packages that may run scripts.
          EXCLUSIVE = [%w[neverBuiltDependencies onlyBuiltDependencies]].freeze
          # pnpm rejects values of these that are not numbers.
          NUMBERS = %w[minimumReleaseAge trustPolicyIgnoreAfter].freeze
          HARMLESS = %w[
            access aggregateOutput allowBuilds allowNew allowSameVersion allowedDeprecatedVersions audit auditConfig
            auditIgnorePrune auditLevel autoConfirmAllPrompts autoInstallPeersFromHighestMatch bail binLinks
            blockExoticSubdeps cacheDir catalogMode catalogPrune changedFilesIgnorePattern childConcurrency ci
            cleanupUnusedCatalogs color commitHooks configDir confirmModulesPurge cpu dangerouslyAllowAllBuilds
            dedupeDirectDeps dedupeInjectedDeps dedupePeerDependents deployAllFiles depth description dir
            dlxCacheMaxAge embedReadme enableGlobalVirtualStore enablePrePostScripts extendNodePath
            externalDependencies fetchMinSpeedKiBps fetchRetries fetchRetryFactor fetchRetryMaxtimeout
            fetchRetryMintimeout fetchTimeout fetchWarnTimeoutMs fetchingConcurrency forceLegacyDeploy frozenLockfile
            git gitChecks gitShallowHosts gitTagVersion globalBinDir globalDir globalPath globalVirtualStoreDir hoist
            hoistPattern hoistWorkspacePackages hoistingLimits ignoreCompatibilityDb ignoreCurrentSpecifiers
            ignoreDepScripts ignorePnpmfile ignoreScripts ignoreWorkspaceCycles ignoreWorkspaceRootCheck
            ignoredBuiltDependencies initAuthorEmail initAuthorName initAuthorUrl initLicense initPackageManager
            initType initVersion json legacyDirFiltering libc linkWorkspacePackages lockfileIncludeTarballUrl loglevel
            long maxSockets maxsockets message minimumReleaseAgeExcludePrune modulesCacheMaxAge modulesDir
            networkConcurrency neverBuiltDependencies nodeDownloadMirrors nodeOptions nodeVersion npmPath
            npmrcAuthFile onlyBuiltDependencies onlyBuiltDependenciesFile optimisticRepeatInstall os otp
            packDestination packGzipLevel parseable patchesDir peerDependencyRules pending preferFrozenLockfile
            preferOffline preferSymlinkedExecutables preferWorkspacePackages prefix preserveAbsolutePaths progress
            provenance publicHoistPattern publishBranch registrySupportsTimeField remoteSideEffectsCache reporter
            reporterHidePrefix resolutionMode resolvePeersFromWorkspaceRoot reverse save saveCatalogName saveDev
            saveExact saveOptional savePeer savePrefix saveProd saveWorkspaceProtocol scope scriptShell
            scriptsPrependNodePath shamefullyFlatten shamefullyHoist shellEmulator sideEffectsCache
            sideEffectsCacheRead sideEffectsCacheReadonly sideEffectsCacheWrite signGitTag skipManifestObfuscation
            sort stateDir storeDir stream strictStorePkgContentCheck supportedArchitectures
            syncInjectedDepsAfterScripts tag tagVersionPrefix tasks testPattern trustPolicyExclude
            trustPolicyExcludePrune trustPolicyIgnoreAfter umask unsafePerm update updateConfig updateNotifier
            useBetaCli useRunningStoreServer useStderr useStoreServer userAgent userconfig verifyDepsBeforeRun
            verifyStoreIntegrity version versioning virtualStoreDir virtualStoreDirMaxLength virtualStoreType
            workspaceConcurrency yes
          ].freeze
          # Spate applies these if set in .npmrc, the environment or config.yaml. If set in pnpm-workspace.yaml, pnpm
          # restores.
          NETWORK = %w[ca cafile cert httpProxy httpsProxy key localAddress noProxy noproxy proxy registries registry
                       strictSsl].freeze
          KNOWN = [APPLIED, LEFT.keys, NETWORK, HARMLESS].flatten.to_h { |name| [name, true] }.freeze
          # The settings that pnpm reads from its global config.yaml. It ignores the others there.
          GLOBAL = %w[
            dangerouslyAllowAllBuilds dryRun enableGlobalVirtualStore enableModulesDir engineStrict
            excludeLinksFromLockfile extendNodePath force forceIgnoresPlatform frozenStore global globalPnpmfile
            globalVirtualStoreDir ignoreScripts maxTarballUnpackedSize minimumReleaseAge minimumReleaseAgeExclude
            minimumReleaseAgeIgnoreMissingTime minimumReleaseAgeStrict nodeExperimentalPackageMap nodePackageMapType
            nodeVersion only optional packageImportMethod pnprServer preferSymlinkedExecutables storeDir
            strictDepBuilds trustLockfile trustPolicy trustPolicyExclude trustPolicyIgnoreAfter virtualStoreDir
            virtualStoreDirMaxLength virtualStoreType
          ].freeze

          # settings: JS::Pnpm::Settings.
          def initialize(settings)
            @settings = settings
          end

          # [String] for messages: reasons for which pnpm has to restore.
          def reasons = (left + exclusive + numbers + types).uniq + (unknown + network).map { |name| "#{name} is set" }

          private

          def left
            LEFT.filter_map do |name, values|
              found = @settings.plain(name)
              "#{name}: #{found}" unless found.nil? || values.include?(found)
            end
          end

          def exclusive
            EXCLUSIVE.filter_map do |group|
              "#{group.join(" and ")} are set" if @settings.major < 11 && group.all? { |name| @settings.given?(name) }
            end
          end

          def numbers
            NUMBERS.filter_map do |name|
              found = @settings.plain(name)
              "#{name}: #{found}" unless found.nil? || Float(found.to_s, exception: false)
            end
          end

          # Before version 12, pnpm accepts any value for a switch, and applies JavaScript's truthiness.
          def types
            names = @settings.major >= 12 ? @settings.names : JS::Pnpm::Settings::SWITCHES
            names.flat_map do |name|
              @settings.all(name).filter_map { |value| "#{name}: #{value}" unless Types.fits?(name, value) }
            end
          end

          def unknown = @settings.names.reject { |name| KNOWN.key?(name) }
          def network = @settings.own_names & NETWORK

          # The type that pnpm 12 declares for each of its settings. pnpm fails with ERR_PNPM_INVALID_SETTING if a file
          # contains a value of a different type. A setting that is not listed may have any value.
          #
          # Stricter than pnpm where the rules of pnpm and YAML are unclear: a boolean must be `true` or `false`, a
          # number must consist of decimal digits.
          module Types
            class << self
              # Lambdas that return whether a value is a list, or a mapping, of values of a type.
              def list(type) = ->(value) { value.is_a?(Array) && value.all?(type) }
              def map(type) = ->(value) { value.is_a?(Hash) && value.each_value.all?(type) }

              # A lambda that returns whether a value is a mapping with only these keys.
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
            # Whether a package may run scripts, or a text that reminds the user to decide.
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
              # A frozen install does not use these settings, so their fields are not listed here.
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

            # Whether a setting may have this value.
            def self.fits?(name, value) = !DECLARED.key?(name) || [value].all?(DECLARED[name])
          end
        end
      end
    end
  end
end
