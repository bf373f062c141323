# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # The levels of pnpm's registry settings. Up to version 10 pnpm read all of npm's variables and files, and a
      # separate file (`rc`); since then credentials are in `auth.ini`, and settings in `config.yaml`.
      # pnpm-workspace.yaml is not included: see Configuration#with.
      class PnpmLevels
        # The first version that reads npm's files only for registries and credentials.
        NEW = 11

        # root: the project's folder. env: Hash. version: of pnpm, or nil for the pnpm on PATH; an unknown version is
        # treated as a new one.
        def initialize(root, env, version)
          version ||= Project::Version.installed("pnpm", env)
          @root = root
          @env = env
          @home = Configuration.home(env)
          @new = version.nil? || version.to_i >= NEW
        end

        # [Level], nearest first.
        def to_a
          levels = [variables, file(:project, project, trusted: false), *own]
          levels << file(:user, user) unless user == project
          levels << old_rc unless @new
          levels << yaml(File.join(folder, "config.yaml")) if @new
          levels
        end

        private

        def project = File.join(@root, ".npmrc")
        def own = @new ? [file(:auth, File.join(folder, "auth.ini"))] : []
        def old_rc = file(:global, @env["npm_config_globalconfig"] || File.join(folder, "rc"))

        def variables
          npm = Environment.values(@env, "npm_config_")
          npm = npm.select { |key, _| key.start_with?("//") } if @new
          own = Environment.values(@env, "pnpm_config_")
          Level.new(:env, nil, reader(@root, expand: false).all(npm.merge(own)))
        end

        def user
          named = %w[npmrc_auth_file userconfig].filter_map { |name| variable("pnpm_config_#{name}") }.first ||
                  variable("npm_config_userconfig")
          named ? File.expand_path(named, @root) : File.join(@home, ".npmrc")
        end

        def variable(name)
          [name.upcase, name].map { |spelling| @env[spelling].to_s }.find { |value| !value.empty? }
        end

        # pnpm's settings folder.
        def folder
          base = @env["XDG_CONFIG_HOME"].to_s
          return File.join(base, "pnpm") unless base.empty?

          File.join(@home, RUBY_PLATFORM.include?("darwin") ? "Library/Preferences" : ".config", "pnpm")
        end

        # trusted: false for files of the repository, which could send a secret from the environment to any host. Since
        # version 11, pnpm expands no variables in them.
        def file(name, path, trusted: true)
          text = Level.text(path)
          values = text ? Ini.parse(text) : {}
          values = without_variables(values, path) unless trusted || !@new
          Level.new(name, path, Unscoped.pinned(reader(File.dirname(path)).all(values)))
        end

        def yaml(path)
          values = YamlFile.values(path)
          Level.new(:global, path, reader(folder, expand: false).all(values), values)
        end

        def without_variables(values, path)
          values.reject do |key, value|
            next unless "#{key}#{value}".include?("${")
            raise UnexpandedRegistryError.new(key, path) if key.match?(/\A(?:@[^:]*:)?registry\z/)

            key.include?("${") || key.match?(/\A(?:https?-)?proxy\z/) || Unscoped.auth?(key)
          end
        end

        def reader(folder, expand: true)
          Value.new(expand ? Variables.new(@env) : {}, folder: folder, home: @home)
        end

        # pnpm supports defaults for variables. A missing variable expands to its default or to "", never to its name.
        Variables = Struct.new(:env) do
          def fetch(name)
            plain, default = name.split(/:?-/, 2)
            Reading.variable(plain)
            value = env[plain]
            value.nil? || (value.empty? && name.include?(":-")) ? default.to_s : value
          end
        end
        private_constant :Variables
      end
    end
  end
end
