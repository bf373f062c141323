# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # pnpm's config.yaml: the names are npm's in camelCase, and registries are in a list of their own.
      module YamlFile
        module_function

        # { key => value } of a file in npm's spelling, {} for a file that cannot be read. Raises LockfileError for
        # invalid YAML and for anything but a mapping, as pnpm does.
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
