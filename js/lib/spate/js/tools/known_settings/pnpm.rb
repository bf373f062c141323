# frozen_string_literal: true

module Spate
  module JS
    module Tools
      module KnownSettings
        # pnpm's: read from its `types.js` and its lists of known settings, of versions 10, 11 and 12.
        class Pnpm
          autoload :Types, "spate/js/tools/known_settings/pnpm/types"

          # Compared with the lockfile, or checked before anything is placed.
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
          # pnpm refuses two of one group: each is a list of the packages that may run scripts.
          EXCLUSIVE = [%w[neverBuiltDependencies onlyBuiltDependencies]].freeze
          # Numbers; pnpm refuses anything else.
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
          # Applied where .npmrc, the environment or config.yaml has them, left to pnpm in pnpm-workspace.yaml.
          NETWORK = %w[ca cafile cert httpProxy httpsProxy key localAddress noProxy noproxy proxy registries registry
                       strictSsl].freeze
          KNOWN = [APPLIED, LEFT.keys, NETWORK, HARMLESS].flatten.to_h { |name| [name, true] }.freeze
          # Of these, what pnpm takes from its global config.yaml; the others it leaves out there.
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

          # [String], for people: why the restore is pnpm's.
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

          # Before version 12 pnpm uses any value, by JavaScript's rules of truthiness.
          def types
            names = @settings.major >= 12 ? @settings.names : JS::Pnpm::Settings::SWITCHES
            names.flat_map do |name|
              @settings.all(name).filter_map { |value| "#{name}: #{value}" unless Types.fits?(name, value) }
            end
          end

          def unknown = @settings.names.reject { |name| KNOWN.key?(name) }
          def network = @settings.own_names & NETWORK
        end
      end
    end
  end
end
