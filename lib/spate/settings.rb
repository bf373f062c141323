# frozen_string_literal: true

module Spate
  # Bundler's settings for one application. Highest first: flags of this command (:flag), the application's
  # `.bundle/config` (:local), `BUNDLE_*` of the environment (:environment), the user's config (:global), Bundler's
  # own defaults (:default). Values have the meaning of the newest Bundler. Core Ruby alone: this is on the hot
  # path.
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

    # root: the application's folder (absolute) or nil outside of one. flags: values given on this command's line,
    # `{ path: "vendor", without: %w[test] }`; nil means not given.
    def self.load(root:, env: ENV, flags: {})
      folders = Folders.new(root, env)
      env_hash = env.to_h
      new(root, env_hash,
          flag: flags.to_h { |name, value| [Key.for(name), value.is_a?(Array) ? value.join(":") : value] }.compact,
          local: file(folders.local_config, env_hash),
          environment: env_hash.select { |key, _| key.start_with?("BUNDLE_") && key != "BUNDLE_" },
          global: file(folders.global_config, env_hash), folders: folders)
    end

    # Most applications have none: then the parser is not loaded.
    def self.file(path, env) = path && File.exist?(path) ? ConfigFile.settings(path, env: env) : {}
    private_class_method :file

    # The application's folder, absolute.
    attr_reader :root
    # Where the config files and Bundler's own folders are.
    attr_reader :folders
    # Origin (Symbol) to Hash of `BUNDLE_...` key to raw value, highest first.
    attr_reader :levels
    # The environment these settings were read from (Hash).
    attr_reader :env

    def initialize(root, env, flag:, local:, environment:, global:, folders:)
      @root = root
      @env = env
      @folders = folders
      @levels = { flag: flag, local: local, environment: environment, global: global, default: DEFAULTS }.freeze
    end

    # The effective value: true/false, Integer, Array of Symbol, String, or nil if not set.
    def [](name) = Value.convert(raw(name), name)

    # As `[]`, for yes or no: not set is false.
    def bool(name)
      value = self[name]
      value.is_a?(String) ? Value.true?(value) : !!value
    end

    # Groups and other lists, as an Array of Symbol.
    def array(name) = Value.list(raw(name), name)

    # Where the effective value was set (:flag, :local, :environment, :global, :default), nil if it was not.
    def origin(name)
      key = Key.for(name)
      @levels.find { |_, values| !values[key].nil? }&.first
    end

    # Yields (name, value, origin) of each explicit setting, sorted by name, without defaults.
    def each
      return enum_for(:each) unless block_given?

      names.each { |name| yield name, self[name], origin(name) }
    end

    # Names of explicit settings, `build.nokogiri` and the like among them, sorted.
    def names
      @names ||= @levels.except(:default).values.flat_map(&:keys).uniq.map { |key| Key.exposed(key) }.sort
    end

    # No change to the lockfile allowed. An explicit `frozen: false` overrides `deployment`, as in Bundler.
    def frozen?
      frozen = self[:frozen]
      frozen.nil? ? bool(:deployment) : frozen
    end

    # Numeric settings with other values, as [[name, value]]: like Bundler, Spate uses the leading digits, or 0.
    def odd_numbers
      all = Value::NUMBERS.each_key.map { |name| [name, raw(name)] }
      all.reject { |_, value| value.nil? || value.to_s.match?(/\A\d+\z/) }
    end

    # Where gems are installed: an InstallPath. Raises PathConflict if one level sets both a path and `path.system`.
    def install_path = @install_path ||= InstallPath.from(self)

    # Arguments for the native build of a gem as one String, as in `bundle config set build.NAME`; nil if none.
    def build_flags(name) = raw("build.#{name}")&.to_s

    # The URI to use instead of this source, as a String with its slash; the source itself if no mirror responds.
    def mirror_for(uri) = mirrors.for(uri.to_s)
    def mirrors = @mirrors ||= Mirrors.from(self)

    # "user:password" or "token" for a source (String or URI), nil if none is set.
    def credentials_for(uri) = Credentials.new(self).for(uri.to_s)

    # Settings that only Bundler supports: Array of Setting.
    def unsupported = names.empty? ? [] : Catalogue.unsupported(self)

    # Raises if settings contradict each other: a group in both `with` and `without`, a path and the system's folder.
    def validate!
      levels.except(:default).each_value do |values|
        both = Value.list(values["BUNDLE_WITH"], :with) & Value.list(values["BUNDLE_WITHOUT"], :without)
        raise GroupConflict, both if both.any?
      end
      install_path
      self
    end

    # The effective settings as text, the same for equal settings: for keys of results that depend on them. only: names,
    # all by default.
    def fingerprint(only: nil)
      (only ? names & only.map(&:to_s) : names).map { |name| "#{name}=#{raw(name)}\n" }.join
    end

    # The effective value in the form of its level.
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
