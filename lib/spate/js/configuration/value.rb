# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # What npm makes of a text that a file or the environment gives as a value: `${VARIABLE}` is replaced, and what a
      # key is declared as decides the rest.
      class Value
        NUMBERS = %w[fetch-retries fetch-retry-factor fetch-retry-maxtimeout fetch-retry-mintimeout fetch-timeout
                     maxsockets].freeze
        PATHS = %w[cache cafile globalconfig prefix userconfig].freeze
        LISTS = %w[allow-scripts ca include noproxy omit].freeze
        ADDRESSES = %w[https-proxy proxy registry].freeze
        TEXTS = %w[_auth allow-scripts ca cert key local-address noproxy script-shell tag].freeze
        LITERALS = { "true" => true, "false" => false, "null" => nil, "undefined" => nil }.freeze
        # One backslash before it keeps the text, two are one.
        VARIABLE = /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/
        private_constant :NUMBERS, :PATHS, :LISTS, :ADDRESSES, :TEXTS, :LITERALS, :VARIABLE

        # folder: what relative paths are relative to. home: for "~/".
        def initialize(env, folder:, home:)
          @env = env
          @folder = folder
          @home = home
        end

        # { key => value } as a Level has them; what npm would call invalid is left out.
        def all(values)
          values.each_with_object({}) do |(key, value), found|
            key = expand(key)
            value = typed(key, value)
            found[key] = value unless value == :invalid
          end
        end

        def expand(text)
          text.gsub(VARIABLE) do |whole|
            escapes, name, optional = $~.captures
            next whole[((escapes.size + 1) / 2)..] if escapes.size.odd?

            escapes[(escapes.size / 2)..] + @env.fetch(name) { optional ? "" : "${#{name}}" }
          end
        end

        private

        def typed(key, value)
          return listed(key, value) if LISTS.include?(key)
          return value unless value.is_a?(String)

          text = value.strip
          return LITERALS[text] if LITERALS.key?(text) && ![*PATHS, *TEXTS, *NUMBERS].include?(key)

          particular(key, expand(text))
        end

        def particular(key, text)
          case key
          when *PATHS then path(text)
          when *NUMBERS then number(text)
          when *ADDRESSES then text.match?(%r{\A[a-z][a-z0-9+.-]*://[^/]}i) ? text : :invalid
          else text
          end
        end

        # In the environment a list is separated by an empty line.
        def listed(_key, value)
          return value if value.nil? || value == true || value == false

          Array(value).flat_map { |one| one.to_s.split("\n\n") }.map { |one| expand(one.strip) }
        end

        def path(text) = text.start_with?("~/") ? File.join(@home, text[2..]) : File.expand_path(text, @folder)

        def number(text)
          return 0 if text.empty?

          Integer(text, 10, exception: false) || Float(text, exception: false) || :invalid
        end
      end
    end
  end
end
