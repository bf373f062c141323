# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    class S3
      # Gets temporary credentials of a role from AWS' Security Token Service (STS), the host of a container, or the
      # host of an EC2 machine (IMDSv2). Queries hosts without a proxy.
      class Roles
        STS_VERSION = "2011-06-15"
        FORM = "application/x-www-form-urlencoded; charset=utf-8"
        SESSION = "spate"
        CONTAINER = "http://169.254.170.2"
        # Matches addresses of this machine or its host, which are queried without TLS.
        LOCAL = /\A(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])\z/
        INSTANCE = "http://169.254.169.254"
        ROLES = "/latest/meta-data/iam/security-credentials/"
        # Time limit in seconds for connecting to a host and for each response. Outside of EC2, INSTANCE does not
        # respond.
        LIMIT = 1
        private_constant :STS_VERSION, :FORM, :SESSION, :CONTAINER, :LOCAL, :INSTANCE, :ROLES, :LIMIT

        # place: Place, for the region and the address of STS.
        def initialize(env:, place:, requests:)
          @env = env
          @place = place
          @requests = requests
        end

        # file: path of a token from Kubernetes, GitHub or another identity provider. Read each time, since the token
        # changes.
        def for_web_identity(file, role, session)
          token = File.read(file).strip
          sts({ "Action" => "AssumeRoleWithWebIdentity", "WebIdentityToken" => token, **facts(role, session) })
        rescue SystemCallError => e
          raise Unavailable.new(:credentials, @place.service("sts"),
                                "needs the token in #{file}: #{SystemCallError.new(nil, e.errno).message}")
        end

        # credentials: the credentials with which the role is assumed.
        def assume(credentials, role, session, external)
          sts({ "Action" => "AssumeRole", **facts(role, session), "ExternalId" => external }.compact, credentials)
        end

        # The Credentials of a container's role, or nil if the container has no role. Raises Unavailable.
        def container
          relative, full = %w[RELATIVE FULL].map { |kind| @env["AWS_CONTAINER_CREDENTIALS_#{kind}_URI"].to_s }
          address = relative.empty? ? full : "#{CONTAINER}#{relative}"
          return if address.empty?

          uri = local(address)
          Credentials.from_json(ask(:get, uri, { "Authorization" => token }.compact).to_s) ||
            raise(Unavailable.new(:credentials, uri, "has no role for this container"))
        end

        # The Credentials of an EC2 machine's role, or nil on other machines and without a role.
        def instance
          return if @env["AWS_EC2_METADATA_DISABLED"].to_s.casecmp?("true")

          base = (@env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || INSTANCE).delete_suffix("/")
          token = ask(:put, "#{base}/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds" => "21600") or return
          headers = { "X-aws-ec2-metadata-token" => line(token) }
          role = line(ask(:get, "#{base}#{ROLES}", headers))
          return if role.empty?

          Credentials.from_json(ask(:get, "#{base}#{ROLES}#{Signature.escape(role)}", headers).to_s)
        rescue Unavailable
          nil
        end

        private

        def facts(role, session) = { "RoleArn" => role, "RoleSessionName" => session || SESSION }

        def sts(form, credentials = nil)
          uri = URI("#{@place.service("sts")}/")
          body = URI.encode_www_form({ **form, "Version" => STS_VERSION })
          @requests.perform(:post, uri, address: uri, headers: headers(uri, body, credentials), body: body) do |answer|
            text = Transport::Answer.text(answer, uri)
            raise refusal(answer, uri, XML.value(text, "Code")) unless answer.code == "200"

            Credentials.from_xml(text) || raise(Unavailable.new(:answer, uri, "sent no credentials"))
          end
        end

        def headers(uri, body, credentials)
          headers = { "Content-Type" => FORM }
          return headers unless credentials

          Signature.new(credentials, region: @place.region, service: "sts")
                   .headers(:post, uri, headers, digest: Store.sha256(body))
        end

        # STS responds with 400 if it rejects a token or a role.
        def refusal(answer, uri, code)
          reason = answer.is_a?(Net::HTTPClientError) ? :credentials : :answer
          Unavailable.new(reason, uri, "returned #{answer.code} #{code}".rstrip)
        end

        def line(text) = text.to_s.lines.first.to_s.strip

        def local(address)
          uri = URI(address)
          return uri if uri.is_a?(URI::HTTPS) || (uri.is_a?(URI::HTTP) && LOCAL.match?(uri.host.to_s))

          raise Unavailable.new(:credentials, address, "must be on this machine or use https")
        rescue URI::Error
          raise Unavailable.new(:credentials, address, "is not an address")
        end

        def token
          file = @env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
          file ? File.read(file).strip : @env["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
        rescue SystemCallError => e
          raise Unavailable.new(:credentials, file, "cannot be read: #{SystemCallError.new(nil, e.errno).message}")
        end

        # The text of a response with status 200, or nil for another status. Raises Unavailable.
        def ask(verb, address, headers)
          uri = URI(address)
          requests = Transport::Requests.without_proxy(LIMIT)
          requests.perform(verb, uri, address: uri, headers: headers, body: ("" if verb == :put)) do |answer|
            text = Transport::Answer.text(answer, uri)
            text if answer.code == "200"
          end
        ensure
          requests&.close
        end
      end
    end
  end
end
