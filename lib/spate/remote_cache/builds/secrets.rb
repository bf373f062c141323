# frozen_string_literal: true

module Spate
  module RemoteCache
    class Builds
      # Detects secrets in results that would be sent to a cache: values of variables that look secret, and Bundler's
      # credentials. Records of inputs contain only digests of values, but readers of the cache could test guesses
      # against these.
      class Secrets
        # Matches names of variables and files that look secret. Some words also match inside of a longer word
        # (PGPASSWORD).
        NAME = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|API_?KEY|COOKIE|NETRC|PGPASS|
                [_.-]PWD\z|(?:\A|[_.-])(?:AUTH|KEY|KEYS|PASS|PAT|JWT|DSN|PEM|ID_RSA|ID_ED25519|NPMRC)(?:[_.-]|\z)/xi
        # Matches a value that contains a user and password.
        ADDRESS = %r{://[^/\s@]+@}
        # Matches "user:password". Used for settings of a host whose name has no dot.
        PAIR = %r{\A[^:/\s]+:[^/\s]}
        # Matches settings whose names look like a host but are none, and settings with lists, which may look like
        # "user:password".
        OTHERS = /\A(?:(?:build|local|spate|gem|path|git)\.|(?:with|without|only)\z)/
        # Folders in the home in which build tools store their own files.
        TOOLS = %w[.cache/ccache .ccache .config/ccache .cargo/bin .cargo/git .cargo/registry .rustup].freeze
        # Minimum length of a secret to search for, in bytes. Files may contain shorter values by coincidence.
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

        # Roots whose files may be private.
        OWN = %w[home app real].freeze

        # The reason why a result with these inputs (as yielded by Inputs.each) must not be sent, or nil. Unset
        # variables are not secret.
        def doubt(items)
          items.each do |kind, root, path, facts|
            case kind
            when :environment
              next unless facts[:sha256] && (NAME.match?(path.b) || @digests[facts[:sha256]])

              return "it depends on the variable #{path}, which looks secret"
            when :file
              reason = why_secret(root, path) or next
              return "it read #{"~/" if root == "home"}#{path}, which #{reason}"
            end
          end
          nil
        end

        # The reason why a result must not be sent because of files in the home that it has read, or nil. Any file there
        # may be private, and the build may have copied its content. tools: absolute paths of folders in the home that
        # are excepted.
        def personal(items, home, tools)
          tools = tools.filter_map { |folder| "#{folder.delete_prefix("#{home}/")}/" if folder.start_with?("#{home}/") }
          tools += TOOLS.map { |folder| "#{folder}/" }
          _, _, path = items.find { |kind, root, at| kind == :file && root == "home" && !at.start_with?(*tools) }
          "it read ~/#{path}, which may be private" if path
        end

        # The reason why a result must not be sent because of its file names or texts, or nil. entries: manifest
        # entries.
        def refusal_of_texts(entries, texts)
          named = entries.flat_map { |entry| entry.values_at(:path, :target) } + texts
          "a file name in it contains the value of a secret" if named.any? { |text| text && secret?(text.b) }
        end

        # Returns a lambda to be called with (path, bytes) for every piece of every file. It raises Refused if a file
        # contains a secret value. Logs, for example, may contain the whole environment.
        def watch
          longest = @long.map(&:bytesize).max.to_i
          before = nil
          rest = "".b
          lambda do |path, piece|
            rest = "".b if path != before
            before = path
            text = rest.empty? ? piece : rest + piece
            raise Refused, "#{path} contains the value of a secret" if secret?(text)

            rest = longest > 1 ? text.byteslice(-[longest - 1, text.bytesize].min..) : rest
          end
        end

        private

        def why_secret(root, path)
          return "has credentials" if @configs.any? { |file| file == path || (root && file.end_with?("/#{path}")) }

          "looks secret" if OWN.include?(root) && NAME.match?(File.basename(path).b)
        end

        # Paths of Bundler's configuration files that contain credentials. Someone who knows the rest of such a file
        # could test guesses against its digest.
        def configs(settings)
          files = { local: settings.folders.local_config, global: settings.folders.global_config }.compact
          files.select { |level,| settings.levels[level].any? { |key, value| login?(key, value.to_s.b) } }.values
        end

        def login?(key, value)
          name = Settings::Key.display_name(key)
          return false if name.match?(OTHERS)

          name.start_with?("mirror.") ? value.match?(ADDRESS) : name.include?(".") || value.match?(PAIR)
        end

        # Whether the value is the path of an existing file. Only the content of such a file may be secret.
        def place?(value) = value.start_with?("/") && !value.include?("\0") && File.exist?(value)

        def secret?(text) = @long.any? { |value| text.include?(value) }

        # The value and its secret parts: user info and password of all URLs in it. "https://user:password@host" has
        # three parts.
        def parts(value)
          [value, *value.scan(%r{://([^/\s@]+)@}n), *value.scan(%r{(?:\A|://)[^/\s:@]+:([^/\s@]+)(?:@|\z)}n)].flatten
        end
      end
    end
  end
end
