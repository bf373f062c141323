# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # The types that npm declares for the keys that an install may read, and conversions to these types. A value from
      # .npmrc is a String, true, false or nil. INVALID marks a value that its type rejects.
      module Types
        BOOLEANS = %w[audit bin-links dangerously-allow-all-scripts dry-run engine-strict force foreground-scripts
                      format-package-lock fund global global-style ignore-scripts include-workspace-root install-links
                      legacy-bundling legacy-peer-deps offline omit-lockfile-registry-resolved package-lock
                      package-lock-only prefer-dedupe prefer-offline prefer-online rebuild-bundle save save-exact
                      shrinkwrap strict-allow-scripts strict-npmrc strict-peer-deps strict-ssl update-notifier
                      usage workspaces-update].freeze
        OPTIONAL_BOOLEANS = %w[optional production workspaces].freeze
        NUMBERS = %w[fetch-retries fetch-retry-factor fetch-retry-maxtimeout fetch-retry-mintimeout fetch-timeout
                     maxsockets min-release-age].freeze
        PATHS = %w[cache cafile globalconfig node-gyp prefix userconfig].freeze
        TEXTS = %w[replace-registry-host scope shell tag user-agent].freeze
        OPTIONAL_TEXTS = %w[_auth cert cpu key libc node-options os script-shell].freeze
        LISTS = %w[allow-scripts ca cidr noproxy workspace].freeze
        # Lists that may contain only these words.
        WORDS = { "omit" => %w[dev optional peer], "include" => %w[prod dev optional peer] }.freeze
        # The valid values of settings of the kind :sources.
        SOURCES = %w[all none root].freeze
        INVALID = Object.new.freeze

        KINDS = { boolean: BOOLEANS, optional_boolean: OPTIONAL_BOOLEANS, number: NUMBERS, path: PATHS,
                  address: ["registry"], optional_address: ["https-proxy"], proxy: ["proxy"], text: TEXTS,
                  optional_text: OPTIONAL_TEXTS, list: LISTS, words: WORDS.keys,
                  sources: %w[allow-directory allow-file allow-remote] }
                .flat_map { |kind, keys| keys.map { |key| [key, kind] } }.to_h.freeze
        private_constant :BOOLEANS, :OPTIONAL_BOOLEANS, :NUMBERS, :PATHS, :TEXTS, :OPTIONAL_TEXTS, :LISTS,
                         :KINDS

        # Falsy in JavaScript.
        FALSE = [nil, false, "", 0].freeze
        private_constant :FALSE

        module_function

        # Returns a Symbol; nil if npm declares no type.
        def kind(key) = KINDS[key]

        # Whether `true`, `false` and `null` are treated as text.
        def plain?(key) = %i[number path text optional_text].include?(kind(key))
        def list?(key) = %i[list words].include?(kind(key))

        # npm does not validate settings during an install: "0" and "no" are non-empty strings, and therefore true.
        def boolean(value) = !FALSE.include?(value)

        def optional_boolean(value) = value.nil? ? nil : boolean(value)

        def number(value)
          return value == true ? 1 : 0 if !value.is_a?(String) || value.empty?

          Integer(value, 10, exception: false) || Float(value, exception: false) || INVALID
        end

        # npm accepts any scheme, but requires a host.
        def address(value)
          return INVALID unless value.is_a?(String) && value.match?(%r{\A[a-z][a-z0-9+.-]*://[^/\s]}i)

          value.count("/") == 2 ? "#{value}/" : value
        end

        def sources(value) = SOURCES.include?(value) ? value : INVALID
        def optional_address(value) = value ? address(value) : nil
        def proxy(value) = value ? address(value) : value
        def text(value) = value.nil? ? "null" : value.to_s
        def optional_text(value) = value && value != "null" ? value.to_s : nil
      end

      # Converts values of files and of the environment like npm: expands `${VARIABLE}`, then converts to the type
      # declared for the key.
      class Value
        LITERALS = { "true" => true, "false" => false, "null" => nil, "undefined" => nil }.freeze
        # A single backslash before a variable prevents its expansion; two are one literal backslash.
        VARIABLE = /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/
        private_constant :LITERALS, :VARIABLE

        # folder: base of relative paths. home: for "~/".
        def initialize(env, folder:, home:)
          @env = env
          @folder = folder
          @home = home
        end

        # { key => value } in the form of a Level; values that npm calls invalid are left out.
        def all(values)
          values.each_with_object({}) do |(key, value), found|
            key = expand(key)
            value = typed(key, value)
            found[key] = value unless value == Types::INVALID
          end
        end

        def expand(text)
          text.gsub(VARIABLE) do |whole|
            escapes, name, optional = $~.captures
            next whole[((escapes.size + 1) / 2)..] if escapes.size.odd?

            Reading.variable(name)
            escapes[(escapes.size / 2)..] + @env.fetch(name) { optional ? "" : "${#{name}}" }
          end
        end

        private

        def typed(key, value)
          return listed(key, value) if Types.list?(key)
          return several(key, value) if value.is_a?(Array)

          declared(Types.kind(key), value.is_a?(String) ? literal(key, value.strip) : value)
        end

        def literal(key, text)
          return true if text.empty? && Types.kind(key) == :boolean
          return LITERALS[text] if LITERALS.key?(text) && !Types.plain?(key)

          expand(text)
        end

        # Several values for a key that is not a list. npm expands no variables here.
        def several(key, values)
          found = values.map { |value| declared(Types.kind(key), value) } - [Types::INVALID]
          found.empty? ? Types::INVALID : found
        end

        def declared(kind, value)
          return value unless kind

          kind == :path ? path(value) : Types.public_send(kind, value)
        end

        # In the environment, empty lines separate the items of a list.
        def listed(key, value)
          known = Types::WORDS[key]
          return (known || !value ? nil : value.to_s) unless value.is_a?(String) || value.is_a?(Array)

          parts = value.is_a?(String) ? value.strip.split("\n\n", -1) : value
          parts = [""] if parts.empty? && value.is_a?(String)
          parts = parts.map { |part| expand(part.to_s.strip) }
          known ? parts & known : parts
        end

        def path(value)
          return Types::INVALID unless value.is_a?(String) && !value.include?("\0")

          value.start_with?("~/") ? File.join(@home, value[2..]) : File.expand_path(value, @folder)
        end
      end
    end
  end
end
