# frozen_string_literal: true

module Spate
  module JS
    class Configuration
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
