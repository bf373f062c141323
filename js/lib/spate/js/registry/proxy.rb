# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # Which proxy a request goes through: npm's `https-proxy` and `proxy`, then the environment, whose variables npm
      # reads in its own order. `noproxy` and NO_PROXY name endings of hosts.
      class Proxy
        NAMES = %w[https_proxy http_proxy proxy no_proxy].freeze
        private_constant :NAMES

        def initialize(configuration)
          @configuration = configuration
          @env = configuration.env.transform_keys(&:downcase).slice(*NAMES).reject { |_, value| value.empty? }
        end

        # URI of the proxy for a URI, nil for a direct connection. Raises Settings::InvalidValue.
        def for(uri)
          address = address_for(uri)
          return if address.nil? || excluded?(uri)

          address = "http://#{address}" unless address.include?("://")
          proxy = URI(address)
          return proxy if proxy.is_a?(URI::HTTP) && proxy.host

          raise Settings::InvalidValue.new("proxy", Util.redact(address), "the address of an HTTP proxy")
        rescue URI::Error
          raise Settings::InvalidValue.new("proxy", Util.redact(address), "the address of an HTTP proxy")
        end

        private

        def address_for(uri)
          given = keys(uri).map { |key| @configuration[key] }
          return if given.compact.first == false && pnpm?

          given.find(&:itself) || variables(uri).filter_map { |name| @env[name] }.first
        end

        # pnpm has a proxy of each kind, npm one for all.
        def keys(uri) = pnpm? && uri.scheme == "http" ? %w[http-proxy https-proxy proxy] : %w[https-proxy proxy]

        def variables(uri)
          return %w[https_proxy http_proxy proxy] if pnpm? == (uri.scheme == "https")

          pnpm? ? %w[http_proxy proxy] : %w[https_proxy]
        end

        def pnpm? = @configuration.tool == "pnpm"

        def excluded?(uri)
          host = uri.hostname.downcase
          patterns.any? { |pattern| pattern == "*" || host == pattern || host.end_with?(".#{pattern}") }
        end

        def patterns
          @patterns ||= begin
            given = Array(@configuration["noproxy"] || @configuration["no-proxy"]).join(",")
            given = @env["no_proxy"].to_s if given.empty?
            given.downcase.split(/[\s,]+/).map { |name| name.sub(/\A\*?\.(?=.)/, "") }.reject(&:empty?)
          end
        end
      end
    end
  end
end
