# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    class S3
      # The role of a machine at EC2, which it is told at an address of its own (IMDSv2). Most machines are no such one:
      # nobody answers there, for which nobody waits long.
      class Instance
        ADDRESS = "http://169.254.169.254"
        ROLES = "/latest/meta-data/iam/security-credentials/"
        # Seconds, to connect and for each answer.
        PATIENCE = 1
        private_constant :ADDRESS, :ROLES, :PATIENCE

        # Yields the text of an answer of status 200, nil without. Through no proxy, whoever configured one. Raises
        # Unavailable.
        def self.ask(verb, uri, headers)
          requests = Transport::Requests.new(
            Registry::HTTP::Connections.new(proxy: Registry::HTTP::Proxy.new(env: {}), timeout: PATIENCE,
                                            pace: Registry::HTTP::Meter::Pace.new(100, PATIENCE),
                                            certificates: Registry::HTTP::Certificates.new(settings: {}, gemrc: {}))
          )
          body = "" if verb == :put
          requests.perform(verb, uri, address: uri, headers: headers, body: body) do |answer|
            text = Transport::Answer.text(answer, uri)
            yield text if answer.code == "200"
          end
        ensure
          requests&.close
        end

        def initialize(env)
          @env = env
        end

        # Credentials, nil where this is no such machine, or has no role.
        def keys
          return if @env["AWS_EC2_METADATA_DISABLED"].to_s.casecmp?("true")

          token = ask(:put, "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds" => "21600") or return
          shown = { "X-aws-ec2-metadata-token" => line(token) }
          role = line(ask(:get, ROLES, shown))
          Credentials.from_json(ask(:get, "#{ROLES}#{Signature.escape(role)}", shown).to_s) unless role.empty?
        rescue Unavailable
          nil
        end

        private

        def line(text) = text.to_s.lines.first.to_s.strip

        def ask(verb, path, headers)
          base = @env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || ADDRESS
          Instance.ask(verb, URI("#{base.delete_suffix("/")}#{path}"), headers) { |text| text }
        end
      end
    end
  end
end
