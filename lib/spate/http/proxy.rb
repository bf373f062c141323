# frozen_string_literal: true

module Spate
  module HTTP
    # The proxy for a request, from RubyGems' configuration or the environment: http_proxy and https_proxy in lower or
    # upper case, http_proxy_user and http_proxy_pass, and no_proxy, a list of host names and suffixes ("*" for all).
    # Without https_proxy, http_proxy also applies to https, as in Bundler.
    class Proxy
      # An entry of no_proxy: an IPv6 address, with or without brackets, or a name, and an optional port.
      EXCLUDED = /\A(?:\[(.*)\]|([^:]*:[^:]*:.*)|([^:]*))(?::(.*))?\z/
      private_constant :EXCLUDED

      def initialize(env:, gemrc: nil)
        @env = env
        @configured = gemrc
      end

      # Whether a proxy is configured for some URI.
      def any? = @configured != :none && (!@configured.nil? || @env.any? { |key, _| key.match?(/\Ahttps?_proxy\z/i) })

      # Returns the URI of the proxy for a URI, or nil for a direct connection.
      def for(uri)
        return if @configured == :none || excluded?(uri)

        schemes(uri).each do |scheme|
          address = @configured || environment(scheme)
          next if address.nil? || address.empty?

          address = "http://#{address}" unless address.include?("://")
          return with_user(URI(address), scheme)
        end
        nil
      rescue URI::Error
        nil
      end

      private

      def schemes(uri) = [uri.scheme, "http"].uniq

      # Ignores HTTP_PROXY in a CGI process, where it contains the client's "Proxy:" header.
      def environment(scheme)
        small = @env["#{scheme}_proxy"]
        return small if small && !small.empty?

        @env["#{scheme.upcase}_PROXY"] unless scheme == "http" && @env["REQUEST_METHOD"]
      end

      def with_user(proxy, scheme)
        user = @env["#{scheme}_proxy_user"] || @env["#{scheme.upcase}_PROXY_USER"]
        return proxy if proxy.user || user.nil?

        password = @env["#{scheme}_proxy_pass"] || @env["#{scheme.upcase}_PROXY_PASS"]
        proxy.userinfo = [user, password].compact.map { |part| URI.encode_www_form_component(part) }.join(":")
        proxy
      end

      def excluded?(uri)
        host = uri.hostname.to_s.downcase
        (@env["no_proxy"] || @env["NO_PROXY"]).to_s.downcase.split(/[\s,]+/).any? do |pattern|
          *names, port = pattern.match(EXCLUDED)&.captures
          name = names.compact.first
          next false if name.nil? || (port && port.to_i != uri.port)

          name = name.delete_prefix("*").delete_prefix(".")
          name.empty? || host == name || host.end_with?(".#{name}")
        end
      end
    end
  end
end
