# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Parses the format of .npmrc like the package `ini`, which npm uses:
      #
      #   ; and # begin a comment, also after a value, unless preceded by a \
      #   key             true
      #   key = value     a value in quotes is parsed as JSON if it is valid JSON
      #   key[] = value   appends to a list
      #   [section]       begins a section; npm treats its name as a setting, whose value is an object
      module Ini
        LINE = /\A(?:\[(?<section>[^\]]*)\]\s*|(?<key>[^=]+)(?<given>=(?<value>[^\u2028\u2029]*))?)\z/
        BLANK = /\A[[:space:]\uFEFF]*(?:[;#]|\z)/
        EDGES = /\A[[:space:]\uFEFF]+|[[:space:]\uFEFF]+\z/
        LITERALS = { "true" => true, "false" => false, "null" => nil }.freeze
        # Text that npm parses as JSON. Ruby's parser accepts more.
        JSON_TEXT = %r{\A[ \t]*(?:"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u\h{4}))*"|
                       -?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|\[.*\]|\{.*\})[ \t]*\z}x
        private_constant :LINE, :BLANK, :EDGES, :LITERALS, :JSON_TEXT

        module_function

        # { key => value or [value, ...] }. A value is a String, true, false, nil or parsed JSON. A section sets the key
        # "[name]" to true.
        def parse(text)
          values = {}
          section = values
          text.split(/[\r\n]+/).each do |line|
            found = LINE.match(line) unless BLANK.match?(line)
            next unless found
            next section = opened(values, found[:section]) if found[:section]

            add(section, unquote(found[:key]).to_s, found[:given] ? literal(unquote(found[:value])) : true)
          end
          values
        end

        # Adds a section. Returns the Hash for its keys, which is not used further.
        def opened(values, name)
          values["[#{name}]"] = true
          {}
        end

        def add(values, key, value)
          list = key.length > 2 && key.end_with?("[]")
          key = key.delete_suffix("[]") if list
          return if key == "__proto__"

          values[key] = Array(values[key]) if list && !values[key].is_a?(Array)
          values[key].is_a?(Array) ? values[key] << value : values[key] = value
        end

        def literal(value) = LITERALS.fetch(value, value)

        def unquote(text)
          text = text.gsub(EDGES, "")
          quote = text[0]
          return plain(text) unless ['"', "'"].include?(quote) && text.end_with?(quote)

          text = text.length > 1 ? text[1..-2] : "" if quote == "'"
          JSON_TEXT.match?(text) ? json(text) : text
        end

        def json(text)
          require "json"
          JSON.parse(text)
        rescue JSON::ParserError
          text
        end

        # The text up to the first comment that is not escaped by \.
        def plain(text)
          text[/\A(?:\\.|[^\\;#]|\\\z)*/m].gsub(/\\([\\;#])/, '\1').gsub(EDGES, "")
        end
      end

      # pnpm's config.yaml: names are npm's in camelCase, and registries are in a separate list.
      module YamlFile
        module_function

        # { key => value } of a file in npm's spelling; {} for an unreadable file. Raises LockfileError for invalid YAML
        # and for anything except a mapping, like pnpm.
        def values(path)
          text = Level.text(path) or return {}
          Pnpm::Yaml.mapping(text, path).reduce({}) { |all, (key, value)| all.merge(entry(key, value)) }
        end

        def entry(key, value)
          return { spelling(key) => value } unless key == "registries" && value.is_a?(Hash)

          value.transform_keys { |scope| scope == "default" ? "registry" : "#{scope}:registry" }
        end

        def spelling(key)
          key.start_with?("//", "@") ? key : key.gsub(/(?!\A)[A-Z]/) { |letter| "-#{letter.downcase}" }
        end
      end
    end
  end
end
