# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Settings in environment variables: npm_config_strict_ssl in any case is `strict-ssl`; after "npm_config_//"
      # follows an address, whose case is kept. Empty ones are ignored.
      module Environment
        module_function

        # { key => value } of a prefix ("npm_config_").
        def values(env, prefix)
          env.each_with_object({}) do |(name, value), found|
            next if value.empty? || !name.downcase.start_with?(prefix)

            key = name[prefix.size..]
            found[key.start_with?("//") ? key : normal(key)] = value
          end
        end

        def normal(key) = key.gsub(/(?!\A)_/, "-").downcase
      end
    end
  end
end
