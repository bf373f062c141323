# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # The levels of npm's settings. Each may set the path of the next one.
      class NpmLevels
        # root: the project's folder. env: Hash.
        def initialize(root, env)
          @root = root
          @env = env
          @home = Configuration.home(env)
          @npm = NpmFolder.new(env)
          @levels = {}
        end

        # [Level], nearest first.
        def to_a
          add(:builtin, @npm.path && File.join(@npm.path, "npmrc"))
          @levels[:env] = Level.new(:env, nil, value.all(Environment.values(@env, "npm_config_")))
          user = find("userconfig") || File.join(@home, ".npmrc")
          project = File.join(@root, ".npmrc")
          add(:project, project) unless project == user
          add(:user, find("userconfig") || user)
          add(:global, global)
          %i[env project user global builtin].filter_map { |name| @levels[name] }
        end

        private

        def global
          named = find("globalconfig")
          prefix = find("prefix") || @npm.prefix
          named || (prefix && File.join(prefix, "etc", "npmrc"))
        end

        def add(name, path)
          return unless path

          text = Level.text(path)
          @levels[name] = Level.new(name, path, text ? value.all(Ini.parse(text)) : {})
        end

        def value = @value ||= Value.new(@env, folder: @root, home: @home)

        # Searches the levels read so far.
        def find(key)
          %i[env project user global builtin].each do |name|
            values = @levels[name]&.settings
            return values[key] if values&.key?(key)
          end
          nil
        end
      end

      # The settings of one source.
      #
      # name:: :env, :project, :user, :global, :builtin …
      # path:: absolute path of its file, which may be missing; nil if the level is not a file
      # settings:: { key => value }, in npm's spelling
      # written:: the file's values before npm's types are applied; nil except for config.yaml
      Level = Struct.new(:name, :path, :settings, :written) do
        # Hides the values.
        def inspect = "#<#{self.class} #{name} #{path}>"
      end

      class Level
        # The text of a file, decoded like node does; nil if it is missing or unreadable.
        def self.text(path)
          Reading.file?(path) ? Reading.text(path).scrub : nil
        rescue SystemCallError
          nil
        end
      end

      # Settings in environment variables: npm_config_strict_ssl, in upper or lower case, is `strict-ssl`. A key that is
      # an address ("npm_config_//host/:_authToken") keeps its case. Empty variables are ignored.
      module Environment
        module_function

        # { key => value } of the variables with a prefix ("npm_config_").
        def values(env, prefix)
          env.each_with_object({}) do |(name, value), found|
            next if value.empty? || !name.downcase.start_with?(prefix)

            key = name[prefix.size..]
            found[key.start_with?("//") ? key : normal(key)] = value
          end
        end

        def normal(key) = key.gsub(/(?!\A)_/, "-").downcase
      end

      # Finds the folders of npm and node without starting either: npm's builtin settings are in a file beside its
      # program, and its global ones in a file below node's installation prefix.
      class NpmFolder
        # Paths at which npm declares its settings: in the package @npmcli/config, inside of npm or beside it, and up to
        # npm 9.6 (Debian has 9.2) among npm's own files.
        DEFINITIONS = %w[node_modules/@npmcli/config/lib/definitions/definitions.js
                         ../@npmcli/config/lib/definitions/definitions.js lib/utils/config/definitions.js].freeze

        # The absolute path of the first program of this name on PATH. If there is none, records the paths as inputs and
        # returns nil.
        def self.which(name, env)
          folders = env["PATH"].to_s.split(File::PATH_SEPARATOR).select { |folder| folder.start_with?("/") }
          paths = folders.map { |folder| File.join(folder, name) }
          found = paths.find { |path| File.file?(path) && File.executable?(path) }
          return found if found

          Reading.variable("PATH")
          paths.each { |path| Reading.file?(path) }
          nil
        end

        def initialize(env)
          @env = env
        end

        # npm's own folder (.../node_modules/npm, or Debian's /usr/share/nodejs/npm); nil if npm is not installed.
        def path
          return @path if defined?(@path)

          @path = [beside(program("npm"), "../.."), beside(program("node"), "../../lib/node_modules/npm")]
                  .compact.find { |folder| File.file?(File.join(folder, "bin", "npm-cli.js")) }
        end

        # The text of npm's declarations of its settings; "" if the file is not found, nil without npm.
        def definitions
          return unless path

          DEFINITIONS.each do |name|
            text = Level.text(File.join(path, name))
            return text if text
          end
          ""
        end

        # The installation prefix of node, which contains the global settings unless `prefix` is set; nil without node.
        def prefix
          given = @env["PREFIX"]
          return given if given && !given.empty?

          folder = beside(program("node"), "../..") or return
          staged = @env["DESTDIR"].to_s
          staged.empty? ? folder : File.join(staged, folder)
        end

        private

        def beside(program, way) = program && File.expand_path(way, program)

        # The file that a program's name refers to after following all links.
        def program(name)
          found = self.class.which(name, @env)
          found && File.realpath(found)
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
