# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # The settings of npm 11 and 12 and of pnpm 10 to 12 that can make a frozen install fail, do nothing or install
      # something else, and how Spate handles each. js/docs/javascript.md has the same tables for users.
      #
      #   APPLIED    Spate supports the setting
      #   LEFT       the project's own tool restores, unless the setting has one of these values
      #   HARMLESS   all other settings that the tools declare: for other commands, resolving, the network, output
      #
      # If a setting is in none of the tables, the tool restores, unless it does not declare the setting either.
      module KnownSettings
        autoload :Pnpm, "spate/js/tools/known_settings/pnpm"

        # Settings of npm, from its `definitions.js`, up to npm 12.2.
        class Npm
          # The newest major version whose settings are all listed here.
          NEWEST = 12

          APPLIED = %w[allow-file allow-remote engine-strict force legacy-peer-deps strict-peer-deps].freeze
          # Supported values of these settings.
          PLAIN = [true, false, *Configuration::Types::SOURCES].freeze
          LEFT = { "allow-directory" => ["all"], "dry-run" => [false], "extension-file" => [], "global" => [false],
                   "install-links" => [false], "install-strategy" => %w[hoisted nested shallow],
                   "location" => %w[user project], "offline" => [false], "package-lock-only" => [false],
                   "strict-allow-scripts" => [false], "strict-npmrc" => [false], "usage" => [false],
                   "workspace" => [[]], "workspaces" => [] }.freeze
          # If the lockfile does not contain the address of a package, npm restores: it queries the registry for the
          # address, and rejects a version that is too new.
          AGES = %w[before min-release-age].freeze
          # npm rejects these settings in the environment, but not in .npmrc.
          NOT_IN_ENVIRONMENT = %w[allow-scripts].freeze
          # npm rejects two settings of the same group, with any values.
          EXCLUSIVE = [%w[save-dev save-optional save-peer save-prod], %w[expect-result-count expect-results],
                       %w[provenance provenance-file]].freeze
          # Since npm 12 these are rejected in a file unless the name includes a registry. npm does not declare them.
          ADDRESSED = %w[certfile email keyfile].freeze
          HARMLESS = %w[
            _auth access all allow-git allow-same-version allow-scripts-pending allow-scripts-pin allow-unused-patches
            also audit audit-level auth-type bin-links browser bypass-2fa ca cache cache-max cache-min cafile call cert
            cidr color commit-hooks cpu dangerously-allow-all-scripts depth description dev diff diff-dst-prefix
            diff-ignore-all-space diff-name-only diff-no-prefix diff-src-prefix diff-text diff-unified edit-dir editor
            expires fetch-retries fetch-retry-factor fetch-retry-maxtimeout fetch-retry-mintimeout fetch-timeout
            foreground-scripts format-package-lock fund git git-tag-version global-ignore-file global-prefix
            global-style globalconfig heading https-proxy if-present ignore-existing ignore-extension
            ignore-patch-failures ignore-scripts include include-attestations include-staged include-workspace-root
            init-author-email init-author-name init-author-url init-license init-module init-private init-type
            init-version init.author.email init.author.name init.author.url init.license init.module init.version json
            keep-edit-dir key legacy-bundling libc link local-address local-prefix lockfile-version loglevel logs-dir
            logs-max long maxsockets message min-release-age-exclude name node-gyp node-options noproxy npm-version omit
            omit-lockfile-registry-resolved only optional orgs orgs-permission os otp pack-destination package
            package-lock packages packages-all packages-and-scopes-permission parseable password patches-dir
            prefer-dedupe prefer-offline prefer-online prefix preid production progress proxy read-only rebuild-bundle
            registry replace-registry-host save save-bundle save-exact save-prefix sbom-format sbom-type scope scopes
            script-shell searchexclude searchlimit searchopts searchstaleness shell shrinkwrap sign-git-commit
            sign-git-tag strict-ssl tag tag-version-prefix timing to token-description umask unicode update-notifier
            user-agent userconfig version versions viewer which workspaces-update yes
          ].freeze
          KNOWN = [APPLIED, LEFT.keys, AGES, NOT_IN_ENVIRONMENT, EXCLUSIVE, HARMLESS].flatten.to_h { |key| [key, true] }
                                                                                     .freeze

          # configuration: JS::Configuration. version: npm's version, nil for the newest.
          def initialize(configuration, version)
            @configuration = configuration
            @major = version ? version.to_i : NEWEST
          end

          # [String] for messages: reasons for which npm has to restore.
          def reasons = left + odd + refused_in_environment + exclusive + without_address + unknown

          # Additional reasons if the lockfile lacks the address of a package.
          def ages = AGES.filter_map { |key| setting_in_use(key, [false, 0]) }

          private

          def left = LEFT.filter_map { |key, values| setting_in_use(key, values) }

          # npm treats any list as true.
          def odd = APPLIED.filter_map { |key| setting_in_use(key, PLAIN) }

          # Checks the values of all levels, because npm does not always use the nearest level: it merges some settings.
          def setting_in_use(key, values)
            value = @configuration.all_of(key).find { |each| ![nil, *values].include?(each) }
            return if value.nil?

            value == true ? key : "#{key} = #{Array(value).join(", ")}"
          end

          def refused_in_environment
            (@configuration.keys_of(:env) & NOT_IN_ENVIRONMENT).map { |key| "#{key} is set in the environment" }
          end

          def exclusive
            EXCLUSIVE.filter_map do |group|
              given = group & keys
              "#{given.join(" and ")} are set" if given.size > 1
            end
          end

          def without_address
            return [] if @major < 12

            (@configuration.keys_of(:project, :user, :global) & ADDRESSED).map { |key| "#{key} is set" }
          end

          # Settings that only npm itself supports. npm 13 is expected to reject settings that it does not declare.
          def unknown
            found = keys.reject { |key| key.include?(":") || KNOWN.key?(key) || ADDRESSED.include?(key) }
            found = found.select { |key| declared?(key) } unless @major > NEWEST
            found.map { |key| "#{key} is set" }
          end

          # Whether the installed npm declares a setting. True if its declarations cannot be found.
          def declared?(key)
            text = (@declarations ||= Configuration::NpmFolder.new(@configuration.env).definitions) or return false

            !text.include?("new Definition(") || text.match?(/^\s*['"]?#{Regexp.escape(key)}['"]?: new Definition\(/)
          end

          def keys = @keys ||= @configuration.list.keys
        end
      end
    end
  end
end
