# frozen_string_literal: true

module Spate
  module RemoteCache
    class Builds
      # Values that must not leave this machine with a result: of variables that look secret, and Bundler's credentials.
      # Readers of the cache could test guesses at them, since records of inputs have digests of values.
      class Secrets
        # Names of variables and of files, by their parts; some words also within one (PGPASSWORD).
        NAME = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|API_?KEY|COOKIE|NETRC|PGPASS|
                [_.-]PWD\z|(?:\A|[_.-])(?:AUTH|KEY|KEYS|PASS|PAT|JWT|DSN|PEM|ID_RSA|ID_ED25519|NPMRC)(?:[_.-]|\z)/xi
        # A value with a user and a password in it.
        ADDRESS = %r{://[^/\s@]+@}
        # A user with a password, of a host whose name has no dot.
        PAIR = %r{\A[^:/\s]+:[^/\s]}
        # Settings that are named like a host and are none, and lists, which look like a pair.
        OTHERS = /\A(?:(?:build|local|spate|gem|path|git)\.|(?:with|without|only)\z)/
        # Below the home: what tools of builds keep there for themselves.
        TOOLS = %w[.cache/ccache .ccache .config/ccache .cargo/bin .cargo/git .cargo/registry .rustup].freeze
        # Bytes; shorter values are in files by chance.
        LEAST = 8

        # environment: {name => value}. settings: Settings.
        def initialize(environment, settings)
          named = environment.select { |name, value| NAME.match?(name.b) || ADDRESS.match?(value.b) }.values
          named.reject! { |value| place?(value) }
          all = settings.names.grep_v(OTHERS).to_h { |name| [name, settings.raw(name).to_s] }
          set = all.select { |name, value| name.include?(".") || PAIR.match?(value.b) }.values
          @configs = configs(settings)
          @values = (named + set).flat_map { |value| parts(value.b) }.reject(&:empty?).uniq
          @digests = @values.to_h { |value| [Store.sha256(value), true] }
          @long = @values.select { |value| value.bytesize >= LEAST }
        end

        # Folders whose files belong to this user alone.
        OWN = %w[home app real].freeze

        # Why a result with these inputs (as Inputs.each yields them) must stay here, or nil. What is not set is no
        # secret.
        def doubt(items)
          items.each do |kind, root, path, facts|
            case kind
            when :environment
              next unless facts[:sha256] && (NAME.match?(path.b) || @digests[facts[:sha256]])

              return "it depends on the variable #{path}, which looks secret"
            when :file
              reason = suspicion(root, path) or next
              return "it read #{"~/" if root == "home"}#{path}, which #{reason}"
            end
          end
          nil
        end

        # The same of what it read below the home: any file there may be its owner's alone, and what a build reads it
        # may have copied. tools: folders (absolute) in the home (absolute) that are not meant.
        def personal(items, home, tools)
          tools = tools.filter_map { |folder| "#{folder.delete_prefix("#{home}/")}/" if folder.start_with?("#{home}/") }
          tools += TOOLS.map { |folder| "#{folder}/" }
          _, _, path = items.find { |kind, root, at| kind == :file && root == "home" && !at.start_with?(*tools) }
          "it read ~/#{path}, which may be its owner's alone" if path
        end

        # The same of what it consists of beside the content of files: their entries in a manifest, and texts.
        def told(entries, texts)
          named = entries.flat_map { |entry| entry.values_at(:path, :target) } + texts
          "a name in it has the value of a secret in it" if named.any? { |text| text && secret?(text.b) }
        end

        # A callable that is given all pieces of all files, (path, bytes), and raises Refused where one of the values is
        # in a file: logs may have a whole environment in them.
        def watch
          longest = @long.map(&:bytesize).max.to_i
          before = nil
          rest = "".b
          lambda do |path, piece|
            rest = "".b if path != before
            before = path
            text = rest.empty? ? piece : rest + piece
            raise Refused, "#{path} has the value of a secret in it" if secret?(text)

            rest = longest > 1 ? text.byteslice(-[longest - 1, text.bytesize].min..) : rest
          end
        end

        private

        def suspicion(root, path)
          return "has credentials" if @configs.any? { |file| file == path || (root && file.end_with?("/#{path}")) }

          "looks secret" if OWN.include?(root) && NAME.match?(File.basename(path).b)
        end

        # Paths of Bundler's files that hold credentials: of who knows the rest a digest tells when a guess is right.
        def configs(settings)
          files = { local: settings.folders.local_config, global: settings.folders.global_config }.compact
          files.select { |level,| settings.levels[level].any? { |key, value| login?(key, value.to_s.b) } }.values
        end

        def login?(key, value)
          name = Settings::Key.exposed(key)
          return false if name.match?(OTHERS)

          name.start_with?("mirror.") ? value.match?(ADDRESS) : name.include?(".") || value.match?(PAIR)
        end

        # The path of a secret is not a secret.
        def place?(value) = value.start_with?("/") && !value.include?("\0") && File.exist?(value)

        def secret?(text) = @long.any? { |value| text.include?(value) }

        # "https://user:password@host" has three; there may be several in one.
        def parts(value)
          [value, *value.scan(%r{://([^/\s@]+)@}n), *value.scan(%r{(?:\A|://)[^/\s:@]+:([^/\s@]+)(?:@|\z)}n)].flatten
        end
      end
    end
  end
end
