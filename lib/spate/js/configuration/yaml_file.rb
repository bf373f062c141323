# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # pnpm's config.yaml: the names are npm's in camelCase, and registries are in a list of their own.
      module YamlFile
        module_function

        # Level of a file; a file that cannot be read says nothing.
        def level(path)
          text = Level.text(path)
          Level.new(:global, path, text ? values(text) : {})
        end

        # { key => value } in npm's spelling.
        def values(text)
          require "psych"
          found = Psych.safe_load(text)
          found.is_a?(Hash) ? found.reduce({}) { |all, (key, value)| all.merge(entry(key.to_s, value)) } : {}
        rescue Psych::Exception
          {}
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
