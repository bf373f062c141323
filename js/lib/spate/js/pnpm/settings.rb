# frozen_string_literal: true

require "json"

module Spate
  module JS
    module Pnpm
      # pnpm's settings that affect node_modules, from all sources of this pnpm version: the environment,
      # pnpm-workspace.yaml, and up to version 10 also package.json's "pnpm" and npm's configuration.
      class Settings
        # The version whose defaults apply if a project names none.
        NEWEST = 12
        # name => default. A Proc is called with pnpm's major version. A class is the expected type of a setting without
        # default.
        DEFAULTS = {
          "allowBuilds" => {}, "allowUnusedPatches" => false, "autoInstallPeers" => true, "catalog" => nil,
          "catalogs" => {}, "configDependencies" => nil, "dangerouslyAllowAllBuilds" => false,
          "dedupeDirectDeps" => false, "dedupeInjectedDeps" => true, "dedupePeerDependents" => true,
          "dedupePeers" => false, "enableGlobalVirtualStore" => false, "enableModulesDir" => true,
          "engineStrict" => false, "excludeLinksFromLockfile" => false, "extendNodePath" => true,
          "gitBranchLockfile" => false, "globalVirtualStoreDir" => String, "hoist" => true, "hoistPattern" => ["*"],
          "hoistWorkspacePackages" => true, "hoistingLimits" => nil, "ignorePnpmfile" => false,
          "ignoreScripts" => false,
          "ignoredBuiltDependencies" => nil, "ignoredOptionalDependencies" => Array,
          "injectWorkspacePackages" => false, "linkWorkspacePackages" => false, "lockfile" => true,
          "lockfileDir" => String,
          "minimumReleaseAge" => ->(major) { 1440 if major >= 11 }, "minimumReleaseAgeExclude" => nil,
          "minimumReleaseAgeIgnoreMissingTime" => true, "minimumReleaseAgeStrict" => nil,
          "modulesDir" => "node_modules", "neverBuiltDependencies" => nil, "nodeExperimentalPackageMap" => false,
          "nodeLinker" => "isolated",
          "nodeVersion" => nil, "onlyBuiltDependencies" => nil, "onlyBuiltDependenciesFile" => nil,
          "overrides" => nil, "packageExtensions" => nil,
          "packages" => nil, "patchedDependencies" => nil, "peersSuffixMaxLength" => 1000, "pnpmfile" => nil,
          "preferSymlinkedExecutables" => false, "preferWorkspacePackages" => false,
          "publicHoistPattern" => ->(major) { major < 10 ? %w[*eslint* *prettier*] : [] }, "shamefullyHoist" => false,
          "sharedWorkspaceLockfile" => true, "storeDir" => String, "supportedArchitectures" => nil, "symlink" => true,
          "trustLockfile" => false, "trustPolicy" => nil, "trustPolicyExclude" => nil, "trustPolicyIgnoreAfter" => nil,
          "virtualStoreDir" => String,
          "virtualStoreDirMaxLength" => 120, "virtualStoreOnly" => false, "virtualStoreType" => nil
        }.freeze
        SWITCHES = DEFAULTS.select { |_, default| [true, false].include?(default) }.keys.freeze
        WORKSPACE = "pnpm-workspace.yaml"
        # The keys that pnpm before 10.5 read from this file, before it became a settings file.
        OLD_WORKSPACE = %w[packages catalog catalogs].freeze
        # name => the first version that reads the setting.
        SINCE = { "allowBuilds" => [10, 26], "ignoredBuiltDependencies" => [10, 1] }.freeze

        # root: the lockfile's folder. package_json: its package.json. version: of pnpm ("10.4.0"), or nil.
        # configuration: responds to [] with npm's keys, or nil.
        def self.read(root, package_json, version, configuration, env = configuration&.env || {})
          path = File.join(root, WORKSPACE)
          text = Reading.file?(path) ? Reading.text(path) : nil
          new((Yaml.mapping(text, path) if text), package_json, version, configuration, env)
        end

        # The settings for an existing Plan, without reading YAML again.
        def self.again(plan, package_json, configuration)
          return read(plan.root, package_json, plan.version, configuration) unless plan.workspace

          new(plan.workspace, package_json, plan.version, configuration, configuration&.env || {})
        end

        # workspace: the content of pnpm-workspace.yaml, nil if it is missing.
        attr_reader :major, :version, :workspace

        def initialize(workspace, package_json, version, configuration, env)
          @version = version
          @major = version ? version[/\d+/].to_i : NEWEST
          @workspace = workspace
          @yaml = workspace.to_h
          @yaml = @yaml.slice(*OLD_WORKSPACE) if before?(10, 5)
          @package = @major <= 10 && package_json["pnpm"].is_a?(Hash) ? package_json["pnpm"] : {}
          @resolutions = package_json["resolutions"] if @major <= 10 && package_json["resolutions"].is_a?(Hash)
          @configuration = configuration if @major <= 10
          @machine = @major > 10 && configuration.respond_to?(:level) ? configuration.level(:global) : {}
          @written = @major > 10 && configuration.respond_to?(:written) ? configuration.written(:global) : {}
          @env = env
          @values = {}
        end

        # Whether this pnpm is older than a version. An unknown pnpm is treated as the newest.
        def before?(*numbers)
          !@version.nil? && (@version.split(".").map(&:to_i).first(numbers.size) <=> numbers).negative?
        end

        # Whether a variable marks this machine as CI, by pnpm's rule.
        def ci? = !["", "false"].include?(@env["CI"].to_s)

        # Whether there is a pnpm-workspace.yaml.
        def workspace? = !@workspace.nil?

        # The value of a setting of DEFAULTS, converted to its default's type.
        def [](name)
          @values.fetch(name) { @values[name] = typed(name, given(name)) }
        end

        # Whether any source sets the setting.
        def given?(name) = !given(name).nil?

        # Whether packages are in a store that projects share. Two settings enable this.
        def global?
          return false if @major < 10

          self["virtualStoreType"] ? self["virtualStoreType"] == "global" : self["enableGlobalVirtualStore"]
        end

        # The value of any setting without conversion to a type, or nil. Text from a variable is parsed as JSON.
        def plain(name) = decoded(given(name))

        # [value] of a setting from all sources that set it. Strings in a YAML file stay strings.
        def all(name)
          outside = @configuration ? decoded(@configuration[dashed(name)]) : @written[dashed(name)]
          [own(name), decoded(environment(name)), outside].compact
        end

        # The workspace folder that a variable sets, or nil.
        def workspace_dir
          @env.values_at("NPM_CONFIG_WORKSPACE_DIR", "npm_config_workspace_dir").compact.find { |path| !path.empty? }
        end

        # Names that pnpm-workspace.yaml or package.json set; pnpm ignores names that are not in camelCase.
        def own_names = (@yaml.keys + @package.keys).grep(/\A[a-z][a-zA-Z0-9]*\z/)

        # own_names and, since version 11, names set by pnpm's own variables and config.yaml.
        def names
          return own_names if @major <= 10

          variables = @env.keys.filter_map { |key| key[/\A(?:pnpm_config|PNPM_CONFIG)_([a-zA-Z]\w*)\z/, 1]&.downcase }
          (own_names + [*variables, *@written.keys.grep(/\A[a-z][a-z0-9-]*\z/)].map { |key| camel(key) }).uniq
        end

        # The source of a setting, for messages.
        def source(name)
          return "environment" if environment(name)
          return WORKSPACE if @yaml.key?(name)
          return "config.yaml" if @machine.key?(dashed(name))

          @package.key?(name) ? "package.json pnpm" : ".npmrc"
        end

        # [String]; nil if hoisting is off.
        def hoist_pattern
          list("hoistPattern") if self["hoist"]
        end

        def public_hoist_pattern = self["shamefullyHoist"] ? ["*"] : list("publicHoistPattern")

        # { catalog => { name => specifier } }
        def catalogs
          all = self["catalogs"].select { |_, catalog| catalog.is_a?(Hash) }
          all = all.merge("default" => self["catalog"]) if self["catalog"].is_a?(Hash)
          all
        end

        # { "default" or a scope => address }, which pnpm recorded up to version 10; nil if unknown.
        def registries
          default = @configuration.registry if @configuration.respond_to?(:registry)
          return unless default

          scopes = @configuration.list.keys.filter_map { |key| key[/\A(@[^:]+):registry\z/, 1] }
          scopes.to_h { |scope| [scope, @configuration.registry_for("#{scope}/")] }
                .merge("default" => default)
        end

        # The folder of pnpm's own store. Spate does not use it, but pnpm's state files contain its path.
        def store_folder = State::StoreFolder.new(self["storeDir"], @major, @env)

        # Settings from outside the project's files that a plan may depend on.
        def fingerprint
          set = DEFAULTS.keys.to_h { |name| [name, environment(name)] }.compact
          ["pnpm", @version || NEWEST, *workspace_dir, *set.map { |name, value| "#{name}=#{value}" }].join(" ")
        end

        # { package => whether its scripts may run }
        def allowed_builds
          allowed = self["allowBuilds"].select { |_, value| [true, false].include?(value) }
          return allowed unless @major <= 10

          Array(self["onlyBuiltDependencies"]).grep(String).to_h { |name| [name, true] }.merge(allowed)
        end

        private

        def given(name)
          return if SINCE.key?(name) && before?(*SINCE[name])

          found = @major <= 10 ? [own(name), environment(name)] : [environment(name), own(name)]
          found << outside(name) if found.compact.empty?
          found.compact.first
        end

        # The value from the project's own files. Up to version 10 these precede the environment.
        def own(name)
          found = @yaml[name]
          return found unless found.nil?

          name == "overrides" ? package_overrides : @package[name]
        end

        # The value from outside the project's files, except its .npmrc.
        def outside(name)
          return @configuration[dashed(name)] if @configuration

          @machine[dashed(name)] if Tools::KnownSettings::Pnpm::GLOBAL.include?(name)
        end

        # Up to version 10, `resolutions` are overrides with a lower precedence.
        def package_overrides
          own = @package["overrides"]
          @resolutions && own.is_a?(Hash) ? @resolutions.merge(own) : own || @resolutions
        end

        def environment(name)
          key = "#{@major <= 10 ? "npm" : "pnpm"}_config_#{dashed(name).tr("-", "_")}"
          found = @env[key.upcase] || @env[key] || (@env[key.sub("npm", "pnpm")] if @major <= 10)
          found unless found.nil? || found.empty?
        end

        def decoded(value)
          value.is_a?(String) && value.match?(/\A(?:true|false|null|[\[{].*)\z/m) ? JSON.parse(value) : value
        rescue JSON::ParserError
          value
        end

        def camel(key) = key.gsub(/[-_]+([a-z0-9])/) { Regexp.last_match(1).upcase }
        def dashed(name) = name.gsub(/[A-Z]/) { |letter| "-#{letter.downcase}" }

        def typed(name, value)
          default = DEFAULTS.fetch(name)
          default = default.call(@major) if default.is_a?(Proc)
          case default
          when Class then expected(name, value, default)
          when String then expected(name, value, String) || default
          when true, false then value.nil? ? default : switch(value)
          when Integer then value.nil? ? default : Integer(value.to_s, 10, exception: false) || default
          when Array then value.nil? ? default : parsed(value, Array)
          when Hash then value.nil? ? default : parsed(value, Hash)
          else value.nil? ? default : value
          end
        end

        # linkWorkspacePackages may also be "deep". With any other value the restore is left to pnpm.
        def switch(value) = value == "deep" ? value : [true, "true"].include?(value)

        # A setting without a default that accepts one type only.
        def expected(name, value, type)
          value = parsed(value, Array).map { |each| expected(name, each, String).to_s } if type == Array && !value.nil?
          return value if value.nil? || (value.is_a?(type) && (type == Array || !value.include?("\0")))

          raise LockfileError, "#{WORKSPACE}: #{name}: expected a string, found #{Reading.shown(value)}"
        end

        # In the environment, lists are JSON.
        def parsed(value, type)
          return value if value.is_a?(type)

          found = value.is_a?(String) && value.start_with?("[", "{") ? JSON.parse(value) : value
          return Array(found) if type == Array

          found.is_a?(Hash) ? found : {}
        rescue JSON::ParserError
          type == Array ? [value] : {}
        end

        def list(name) = self[name].map(&:to_s)
      end
    end
  end
end
