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

      # Settings that Spate does not support: the project's own tool must restore, so that no registry gets a request
      # with the wrong settings.
      module Unsupported
        # A program that makes tokens; authorities for one address only.
        ADDRESSED = /:(?:tokenHelper|ca|cafile)\z/
        # Its name is a setting to npm, which may fail by the value or take it for true.
        SECTION = /\A\[/
        PROXIES = %w[https-proxy http-proxy proxy].freeze
        private_constant :ADDRESSED, :SECTION, :PROXIES

        module_function

        # [String], for people: keys, and no values.
        def reasons(configuration)
          keys = configuration.list.keys
          found = keys.grep(ADDRESSED) + keys.grep(SECTION) + keys.select { |key| key == "tokenHelper" }
          found << "local-address" if configuration["local-address"]
          found += PROXIES.select { |key| foreign_proxy?(configuration[key]) }
          found.map { |key| "#{key} is set" }
        end

        # Of another kind than HTTP, or reached by TLS itself.
        def foreign_proxy?(address) = address.is_a?(String) && address.match?(%r{\A(?!http://)[a-z][a-z0-9+.-]*://}i)
      end
    end
  end
end
