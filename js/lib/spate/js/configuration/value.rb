# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Converts values of files and the environment as npm does: expands `${VARIABLE}`, then converts to the type that
      # is declared for the key.
      class Value
        LITERALS = { "true" => true, "false" => false, "null" => nil, "undefined" => nil }.freeze
        # One backslash before it keeps the text, two are one.
        VARIABLE = /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/
        private_constant :LITERALS, :VARIABLE

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

        # In the environment a list is separated by empty lines.
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
