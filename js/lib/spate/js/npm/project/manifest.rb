# frozen_string_literal: true

require "json"

module Spate
  module JS
    module Npm
      class Project
        # A package.json of the project's own, as npm has it after reading: a Hash in which what may be written in
        # several ways is written in one.
        #
        # https://docs.npmjs.com/cli/configuring-npm/package-json
        module Manifest
          BOM = "\uFEFF".b.force_encoding(Encoding::UTF_8).freeze
          DEPENDENCIES = %w[dependencies devDependencies optionalDependencies peerDependencies].freeze

          module_function

          # nil if it is missing. Raises LockfileError.
          def read(path)
            text = Reading.text(path).delete_prefix(BOM)
            raise LockfileError, "#{path} is not valid UTF-8" unless text.valid_encoding?

            normalize(JSON.parse(text, max_nesting: Lockfile::DEPTH), path)
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          rescue JSON::ParserError => e
            raise Reading::Fault.error(path, text, e)
          end

          def normalize(data, path)
            raise LockfileError, "#{path}: expected an object, found #{data.class}" unless data.is_a?(Hash)

            DEPENDENCIES.each { |field| data[field] = only(String, data[field]) if data.key?(field) }
            data["optionalDependencies"]&.each_key { |name| data["dependencies"]&.delete(name) }
            data["peerDependenciesMeta"] = only(Hash, data["peerDependenciesMeta"]) if data.key?("peerDependenciesMeta")
            bundles(data)
            data["funding"] = { "url" => data["funding"] } if data["funding"].is_a?(String)
            bins = Bins.clean(data["bin"], data["name"])
            bins.empty? ? data.delete("bin") : data["bin"] = bins
            data
          end

          def only(type, value) = value.is_a?(Hash) ? value.select { |_, each| each.is_a?(type) } : {}

          def bundles(data)
            found = data.delete("bundledDependencies")
            data["bundleDependencies"] = found if found && !data.key?("bundleDependencies")
            case value = data["bundleDependencies"]
            when true then data["bundleDependencies"] = (data["dependencies"] || {}).keys
            when Hash then data["bundleDependencies"] = value.keys
            when Array then value
            else data.delete("bundleDependencies")
            end
          end
        end
      end
    end
  end
end
