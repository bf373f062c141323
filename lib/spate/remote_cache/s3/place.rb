# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    class S3
      # The location of a bucket: its endpoint, its region, and whether its name is part of the path or of the host
      # name.
      class Place
        DOMAINS = { "cn-" => "amazonaws.com.cn" }.freeze
        # Matches bucket names that can be part of a host name, and match a certificate for *.s3...
        IN_HOST = /\A[a-z0-9][a-z0-9-]*\z/
        REGION = /\A[a-z0-9-]{2,40}\z/i
        LOOPBACK = %r{\Ahttp://(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:/|\z)}i
        OWN = "to send them there anyway, set AWS_ENDPOINT_URL_S3 on this machine"
        private_constant :DOMAINS, :IN_HOST, :REGION, :LOOPBACK, :OWN

        # The configured region, or the one reported by the server.
        attr_reader :region
        # Host and port of the configured server: "s3.acme.test:9000".
        attr_reader :host

        # Options of the address take precedence, since they are for this bucket. All other settings are for this
        # machine.
        def initialize(address, env:, profile:)
          @address = address
          @env = env
          @profile = profile
          @region = present(address.options["region"], env["AWS_REGION"], env["AWS_DEFAULT_REGION"],
                            profile["region"]) || "us-east-1"
          raise InvalidAddress.new(@region, "is not a valid region") unless REGION.match?(@region.b)

          @endpoint = endpoint("S3", address.options["endpoint"])
          @host = URI(base(@region)).authority
        rescue URI::Error
          raise InvalidAddress.new(base(@region), "is invalid: a bucket's name goes into the path of such an endpoint")
        end

        # The URI of an object in the bucket, or of the bucket.
        def locate(name, query = {}, region: @region)
          key = name ? "#{@address.prefix}#{name}" : ""
          steps = [*(@address.bucket if path_style?), *key.split("/", -1)]
          URI("#{base(region)}/#{steps.map { |step| Signature.escape(step) }.join("/")}#{question(query)}")
        end

        # Stores the bucket's region from a response. from: the region of the request. Returns whether they differ.
        def moved?(region, from:)
          return false if region.nil? || region == from || !REGION.match?(region)

          @region = region
          true
        end

        # Raises Unavailable if the endpoint in the address would expose keys on the network. The address may be
        # committed to a repository, so it must not redirect a user's keys to an insecure server.
        def take_keys!
          asked = base(@region)
          return if !@address.options["endpoint"] || asked.match?(/\Ahttps:/i) || LOOPBACK.match?(asked)

          raise Unavailable.new(:credentials, @address, "would receive credentials at #{asked}, expected https",
                                hint: OWN)
        end

        # The address of another AWS service, for example "sts".
        def service(name) = endpoint(name.upcase) || "https://#{name}.#{@region}.#{domain(@region)}"

        private

        def present(*values) = values.find { |value| value && !value.empty? }

        def endpoint(service, own = nil)
          found = present(own, @env["AWS_ENDPOINT_URL_#{service}"], @env["AWS_ENDPOINT_URL"], @profile["endpoint_url"])
          return unless found
          raise InvalidAddress.new(found, "is not an endpoint: expected https://HOST") unless Address.endpoint?(found)

          found.delete_suffix("/")
        end

        def path_style?
          asked = @address.options["path_style"]
          return !%w[0 false no].include?(asked) if asked

          !@endpoint.nil? || !IN_HOST.match?(@address.bucket)
        end

        def base(region)
          base = @endpoint || "https://s3.#{region}.#{domain(region)}"
          path_style? ? base : base.sub("://", "://#{@address.bucket}.")
        end

        def domain(region) = DOMAINS.find { |prefix, _| region.start_with?(prefix) }&.last || "amazonaws.com"

        def question(query)
          return "" if query.empty?

          "?#{query.map { |pair| pair.map { |text| Signature.escape(text) }.join("=") }.join("&")}"
        end
      end
    end
  end
end
