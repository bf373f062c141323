# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # Signs requests with AWS Signature Version 4, in headers. Hashes the request, and signs the hash with a key for
      # this day, region and service. As required by S3, the path is not normalized.
      class Signature
        ALGORITHM = "AWS4-HMAC-SHA256"
        UNRESERVED = /[^A-Za-z0-9_.~-]/n
        private_constant :ALGORITHM, :UNRESERVED

        # Escapes all bytes except unreserved ones as %XX.
        def self.escape(text) = text.b.gsub(UNRESERVED) { |byte| format("%%%02X", byte.ord) }

        attr_reader :keys, :region

        # keys: Credentials, or nil for unsigned requests.
        def initialize(keys, region:, service:)
          @keys = keys
          @region = region
          @service = service
        end

        # All headers of a request, including the signature. uri: escaped as in the request. headers: Hash of headers to
        # sign. digest: SHA-256 of the body in hex.
        def headers(verb, uri, headers, digest:, time: Time.now)
          return {} unless @keys

          Util::Openssl.load
          stamp = time.utc.strftime("%Y%m%dT%H%M%SZ")
          all = { **headers, "Host" => host(uri), "X-Amz-Date" => stamp }
          all["X-Amz-Security-Token"] = @keys.token if @keys.token
          plain = all.map { |name, value| [name.downcase, value.strip.squeeze(" ")] }.sort
          request = [verb.to_s.upcase, uri.path.empty? ? "/" : uri.path, query(uri.query.to_s),
                     *plain.map { |pair| pair.join(":") }, "", names(plain), digest].join("\n")
          all.merge("Authorization" => authorization(request, stamp, names(plain)))
        end

        private

        def host(uri) = uri.port == uri.default_port ? uri.host : "#{uri.host}:#{uri.port}"
        def names(plain) = plain.map(&:first).join(";")

        # The query with its parameters sorted by their escaped bytes.
        def query(text)
          parts = text.split("&").map { |part| part.include?("=") ? part : "#{part}=" }
          parts.sort_by { |part| part.split("=", 2) }.join("&")
        end

        def authorization(request, stamp, names)
          scope = [stamp[0, 8], @region, @service, "aws4_request"].join("/")
          text = [ALGORITHM, stamp, scope, OpenSSL::Digest.hexdigest("SHA256", request)].join("\n")
          key = scope.split("/").reduce("AWS4#{@keys.secret}") { |k, part| OpenSSL::HMAC.digest("SHA256", k, part) }
          "#{ALGORITHM} Credential=#{@keys.id}/#{scope}, SignedHeaders=#{names}, " \
            "Signature=#{OpenSSL::HMAC.hexdigest("SHA256", key, text)}"
        end
      end
    end
  end
end
