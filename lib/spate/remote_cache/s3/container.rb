# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    class S3
      # The role of a container, at an address that its host put into the environment.
      class Container
        HOST = "http://169.254.170.2"
        # Who may be asked without TLS: the host itself.
        LOCAL = /\A(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])\z/
        private_constant :HOST, :LOCAL

        def initialize(env)
          @env = env
        end

        # Credentials, nil where there is no such role. Raises Unavailable.
        def keys
          relative, full = %w[RELATIVE FULL].map { |kind| @env["AWS_CONTAINER_CREDENTIALS_#{kind}_URI"].to_s }
          address = relative.empty? ? full : "#{HOST}#{relative}"
          return if address.empty?

          uri = local(address)
          Instance.ask(:get, uri, { "Authorization" => token }.compact) { |text| Credentials.from_json(text) } ||
            raise(Unavailable.new(:credentials, uri, "has no role for this container"))
        end

        private

        def local(address)
          uri = URI(address)
          return uri if uri.is_a?(URI::HTTPS) || (uri.is_a?(URI::HTTP) && LOCAL.match?(uri.host.to_s))

          raise Unavailable.new(:credentials, address, "is neither this machine nor https")
        rescue URI::Error
          raise Unavailable.new(:credentials, address, "is no address")
        end

        def token
          file = @env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
          file ? File.read(file).strip : @env["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
        rescue SystemCallError => e
          raise Unavailable.new(:credentials, file, "cannot be read: #{e.message}")
        end
      end
    end
  end
end
