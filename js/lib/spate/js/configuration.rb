# frozen_string_literal: true

module Spate
  module JS
    # npm's or pnpm's configuration from the environment and .npmrc files; the nearest level wins. Parses the files like
    # the tool does, without starting it. Uses core Ruby only, because an install with nothing to do loads this file.
    #
    #   environment > project > user > global > builtin             npm
    #   environment > project > auth.ini > user > config.yaml       pnpm
    #
    # A value is nil if no level sets it; defaults are in the callers.
    class Configuration
      %i[Address NerfDart Unscoped Unsupported].each { |name| autoload name, "spate/js/configuration/nerf_dart" }
      %i[Environment Level NpmFolder NpmLevels].each { |name| autoload name, "spate/js/configuration/npm_levels" }
      %i[Ini YamlFile].each { |name| autoload name, "spate/js/configuration/ini" }
      autoload :PnpmLevels, "spate/js/configuration/pnpm_levels"
      autoload :PublicRegistry, "spate/js/configuration/public_registry"
      %i[Types Value].each { |name| autoload name, "spate/js/configuration/types" }

      # Keys whose values must not be printed.
      SECRET = /(?:\A|:)(?:_auth|_authtoken|-authtoken|_password|username|key|keyfile)\z/i
      private_constant :SECRET

      # The user's home folder; "/" if passwd has no entry for the user, as in Docker.
      def self.home(env)
        env["HOME"].to_s.empty? ? Dir.home : env["HOME"]
      rescue ArgumentError
        "/"
      end

      # root: the folder of the project's package.json, absolute. tool: "npm" or "pnpm". version: of the tool
      # ("10.4.1"), if known: pnpm 11 reads other files. store: the Store that caches the default registry of an
      # installed tool, or nil.
      def self.load(root:, env:, tool: "npm", version: nil, store: nil)
        env = env.to_h
        levels = tool == "pnpm" ? PnpmLevels.new(root, env, version) : NpmLevels.new(root, env)
        new(levels.to_a, root: root, env: env, tool: tool, store: store)
      end

      # The configuration of a Project.
      def self.of(project, env, store: nil)
        load(root: project.root, env: env, tool: project.tool, version: project.version(env), store: store)
      end

      # The project's folder; "npm" or "pnpm"; the environment from which the configuration was read.
      attr_reader :root, :tool, :env

      # levels: [Level], nearest first.
      def initialize(levels, root:, env:, tool:, store: nil)
        @levels = levels
        @store = store
        @mutex = Mutex.new
        @root = root
        @env = env
        @tool = tool
      end

      # The value of a key in npm's spelling ("strict-ssl", "@scope:registry"): String, true, false, Integer, Float,
      # Array; nil if no level sets it, or one sets it to null.
      def [](key) = @levels.find { |level| level.settings.key?(key) }&.settings&.[](key)

      # A copy with one more level in front, such as pnpm-workspace.yaml. values: { key => value } in npm's spelling.
      # path: of the level's file.
      def with(values, path: nil)
        Configuration.new([Level.new(:laid, path, values), *@levels], root: @root, env: @env, tool: @tool,
                                                                      store: @store)
      end

      # The registry of a package: its scope's registry, otherwise the default one. With a trailing "/", without
      # credentials; nil as for #registry.
      def registry_for(name)
        scope = name[%r{\A(@[^/]+)/}, 1]
        address(scope && self["#{scope}:registry"]) || registry
      end

      # The default registry with a trailing "/"; nil if no level sets one and no tool is installed to report its
      # default.
      def registry = address(self["registry"]) || public_registry

      # npm's own default with a trailing "/"; nil if no tool is installed to report it. In a lockfile's addresses, this
      # registry means the configured one.
      def public_registry
        @mutex.synchronize do
          @public_registry = PublicRegistry.find(@env, @store) unless defined?(@public_registry)
          @public_registry
        end
      end

      # All settings, as the tool would list them: { key => value }. Secrets are replaced by "(protected)".
      def list
        @levels.reverse.reduce({}) { |all, level| all.merge(level.settings) }
               .to_h { |key, value| [key, SECRET.match?(key) ? "(protected)" : value] }
      end

      # The values of a key in all levels, nearest first.
      def all_of(key) = @levels.filter_map { |level| [level.settings[key]] if level.settings.key?(key) }.flatten(1)

      # { key => value } of one level.
      def level(name) = @levels.find { |level| level.name == name }&.settings || {}

      # The same as level, but before npm's types are applied.
      def written(name) = @levels.find { |level| level.name == name }&.written || {}

      # Keys that levels of these names set.
      def keys_of(*names)
        @levels.select { |level| names.include?(level.name) }.flat_map { |level| level.settings.keys }
      end

      # Absolute paths of files that were read or looked for.
      def inputs = @levels.filter_map(&:path)

      # Credentials for registries, and the hosts each may be sent to.
      def nerf_dart = @nerf_dart ||= NerfDart.new(self)

      # { key => value } of all keys that belong to one address ("//host/path/:_authToken").
      def addressed
        @levels.reverse.reduce({}) { |all, level| all.merge(level.settings.select { |key, _| key.start_with?("//") }) }
      end

      # Raises LeftToTool for settings that only the tool itself can handle.
      def check_supported
        reasons = Unsupported.reasons(self)
        raise LeftToTool, reasons unless reasons.empty?
      end

      # Raises InvalidAuthError if npm would: since version 9 npm does not send credentials that have no address.
      def check_auth
        found = @levels.flat_map { |level| Unscoped.problems(level) }
        raise InvalidAuthError.new(found, NerfDart.of(registry) || "//HOST/") unless found.empty?
      end

      # Credentials must not appear in a backtrace or a log.
      def inspect = "#<#{self.class} #{@tool} #{@root}>"
      alias to_s inspect

      private

      def address(value)
        return unless value.is_a?(String) && !value.empty?

        plain = (Address.parse(value.strip) || value.strip).to_s
        plain.end_with?("/") ? plain : "#{plain}/"
      end

      # Raised for credentials without an address, which npm rejects.
      class InvalidAuthError < Error
        EXIT_CODE = 12

        # problems: [[file, key], ...]. place: "//host/" of the registry.
        def initialize(problems, place)
          named = problems.map { |file, key| "#{key} in #{file}" }.uniq
          super("#{named.join(" and ")} must begin with the address of a registry",
                hint: "write #{place}:#{problems.last.last} instead (`npm config fix` does it)")
        end
      end

      # Raised for a registry's address with a variable in a file of the repository. pnpm does not expand the variable,
      # so that a repository cannot send secrets to a different host, and does not fall back to another registry.
      class UnexpandedRegistryError < Error
        EXIT_CODE = 12

        def initialize(key, file)
          super("#{key} in #{file} has a variable, which pnpm does not expand in files of the project",
                hint: "write the address without variables, or set it in the user's .npmrc")
        end
      end

      # Raised if no file sets a registry, no installed tool has a default, and the lockfile has no address for a
      # package.
      class UnknownRegistryError < Error
        EXIT_CODE = 12
        UNKNOWN = "no registry is configured, and none of npm, pnpm and yarn is on the PATH to query its default"
        HINT = "set it in the project's .npmrc: registry=ADDRESS"

        # name: the package's name.
        def initialize(name) = super("#{name}: #{UNKNOWN}", hint: HINT)
      end
    end
  end
end
