# frozen_string_literal: true

module Spate
  # Bundler's settings for one application. The levels, in order of precedence: options of this command (:flag), the
  # application's `.bundle/config` (:local), `BUNDLE_*` variables (:environment), the user's config file (:global),
  # Bundler's defaults (:default). Values are interpreted as by the newest Bundler. Uses only core Ruby, since it is on
  # the hot path.
  class Settings
    autoload :Catalogue, "spate/settings/catalogue"
    autoload :ConfigFile, "spate/settings/config_file"
    autoload :Folders, "spate/settings/folders"
    autoload :InstallPath, "spate/settings/install_path"
    %i[Credentials Mirrors].each { |name| autoload name, "spate/settings/mirrors" }
    %i[Key Value].each { |name| autoload name, "spate/settings/value" }
    %i[Error GroupConflict InvalidValue NoList OnlyUnknown PathConflict Unreadable]
      .each { |name| autoload name, "spate/settings/errors" }

    # A setting that Spate leaves to Bundler, with its value and the reason.
    Setting = Struct.new(:name, :value, :reason)

    DEFAULTS = {
      "BUNDLE_REDIRECT" => 5, "BUNDLE_RETRY" => 3, "BUNDLE_TIMEOUT" => 10, "BUNDLE_VERSION" => "lockfile",
      "BUNDLE_LOCKFILE_CHECKSUMS" => true, "BUNDLE_CACHE_ALL" => true, "BUNDLE_PLUGINS" => true,
      "BUNDLE_GLOBAL_GEM_CACHE" => false, "BUNDLE_DISABLE_VERSION_CHECK" => true,
      "BUNDLE_SILENCE_DEPRECATIONS" => false, "BUNDLE_PREFER_PATCH" => false,
      "BUNDLE_UPDATE_REQUIRES_ALL_FLAG" => false, "BUNDLE_DEFAULT_CLI_COMMAND" => "cli_help"
    }.freeze

    # root: the application's folder (absolute), or nil outside of an application. flags: options of this command, such
    # as `{ path: "vendor", without: %w[test] }`. nil means not given.
    def self.load(root:, env: ENV, flags: {})
      folders = Folders.new(root, env)
      env_hash = env.to_h
      new(root, env_hash,
          flag: flags.to_h { |name, value| [Key.for(name), value.is_a?(Array) ? value.join(":") : value] }.compact,
          local: file(folders.local_config, env_hash),
          environment: env_hash.select { |key, _| key.start_with?("BUNDLE_") && key != "BUNDLE_" },
          global: file(folders.global_config, env_hash), folders: folders)
    end

    # Most applications have no config file. Then the parser is not loaded.
    def self.file(path, env) = path && File.exist?(path) ? ConfigFile.settings(path, env: env) : {}
    private_class_method :file

    # The application's folder, absolute.
    attr_reader :root
    # Folders: the paths of config files and of Bundler's folders.
    attr_reader :folders
    # {level (Symbol) => {"BUNDLE_..." => raw value}}, in order of precedence.
    attr_reader :levels
    # The environment from which these settings were read (Hash).
    attr_reader :env

    def initialize(root, env, flag:, local:, environment:, global:, folders:)
      @root = root
      @env = env
      @folders = folders
      @levels = { flag: flag, local: local, environment: environment, global: global, default: DEFAULTS }.freeze
    end

    # The effective value: true/false, Integer, Array of Symbol, String, or nil if not set.
    def [](name) = Value.convert(raw(name), name)

    # The effective value as true or false. A missing value is false.
    def bool(name)
      value = self[name]
      value.is_a?(String) ? Value.true?(value) : !!value
    end

    # The effective value of a list, such as groups, as [Symbol].
    def array(name) = Value.list(raw(name), name)

    # The level of the effective value (:flag, :local, :environment, :global, :default), or nil if it is not set.
    def origin(name)
      key = Key.for(name)
      @levels.find { |_, values| !values[key].nil? }&.first
    end

    # Yields (name, value, origin) of each explicit setting, sorted by name, without defaults.
    def each
      return enum_for(:each) unless block_given?

      names.each { |name| yield name, self[name], origin(name) }
    end

    # The sorted names of explicit settings, including names such as `build.nokogiri`.
    def names
      @names ||= @levels.except(:default).values.flat_map(&:keys).uniq.map { |key| Key.display_name(key) }.sort
    end

    # Whether the lockfile must not change. As in Bundler, an explicit `frozen: false` overrides `deployment`.
    def frozen?
      frozen = self[:frozen]
      frozen.nil? ? bool(:deployment) : frozen
    end

    # Numeric settings whose values are not numbers, as [[name, value]]. Like Bundler, Spate uses the leading digits, or
    # 0.
    def odd_numbers
      all = Value::NUMBERS.each_key.map { |name| [name, raw(name)] }
      all.reject { |_, value| value.nil? || value.to_s.match?(/\A\d+\z/) }
    end

    # The InstallPath of gems. Raises PathConflict if one level sets both a path and `path.system`.
    def install_path = @install_path ||= InstallPath.from(self)

    # The arguments for building a gem, as set with `bundle config set build.NAME`, as a String or nil.
    def build_flags(name) = raw("build.#{name}")&.to_s

    # The URI to use for a source, as a String with a trailing slash. This is the source itself if it has no mirror or
    # the mirror does not respond.
    def mirror_for(uri) = mirrors.for(uri.to_s)
    def mirrors = @mirrors ||= Mirrors.from(self)

    # "user:password" or "token" for a source (String or URI), or nil if not set.
    def credentials_for(uri) = Credentials.new(self).for(uri.to_s)

    # [Setting]: settings that only Bundler supports.
    def unsupported = names.empty? ? [] : Catalogue.unsupported(self)

    # Raises GroupConflict if a group is in both `with` and `without`, and PathConflict like #install_path.
    def validate!
      levels.except(:default).each_value do |values|
        both = Value.list(values["BUNDLE_WITH"], :with) & Value.list(values["BUNDLE_WITHOUT"], :without)
        raise GroupConflict, both if both.any?
      end
      install_path
      self
    end

    # The effective settings as text, for keys of results that depend on them. Equal settings have equal texts. only:
    # names of settings to include; by default all.
    def fingerprint(only: nil)
      (only ? names & only.map(&:to_s) : names).map { |name| "#{name}=#{raw(name)}\n" }.join
    end

    # The effective value without conversion.
    def raw(name)
      key = Key.for(name)
      @levels.each_value do |values|
        value = values[key]
        return value unless value.nil?
      end
      nil
    end
  end
end
