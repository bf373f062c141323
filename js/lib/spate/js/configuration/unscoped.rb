# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Credentials that do not say to whom they belong. npm takes them no more; pnpm gives them to the registry that
      # the same file names, never to one that another file does.
      module Unscoped
        KEYS = %w[_auth _authToken username _password].freeze
        OLD_SPELLINGS = %w[_authtoken -authtoken].freeze
        PINNED = [*KEYS, "cert", "key"].freeze
        private_constant :KEYS, :OLD_SPELLINGS, :PINNED

        module_function

        # Whether a key holds a credential, scoped to a host or not.
        def auth?(key) = key.match?(/(?:\A|:)(?:_auth|_authToken|_password|username|cert|certfile|key|keyfile)\z/)

        # [[file, key], ...] of a file's keys that npm refuses.
        def problems(level)
          return [] unless %i[project user global].include?(level.name)

          [*OLD_SPELLINGS, *KEYS].select { |key| level.settings[key] }.map { |key| [level.path, key] }
        end

        # The values of one file with its credentials addressed to its own registry, if it names one: without, they
        # would be the public registry's.
        def pinned(values)
          loose = values.slice(*PINNED)
          return values if loose.empty?

          registry = values["registry"]
          place = registry.is_a?(String) ? NerfDart.of(registry) : NerfDart::PUBLIC
          loose.transform_keys { |key| "#{place}:#{key}" }.merge(values.except(*PINNED))
        end
      end
    end
  end
end
