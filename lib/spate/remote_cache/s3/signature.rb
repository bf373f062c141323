# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # AWS Signature Version 4, in headers: the hashed request, signed with a key for this day, region and service. As
      # S3 requires, the path is not normalized.
      class Signature
        ALGORITHM = "AWS4-HMAC-SHA256"
        UNRESERVED = /[^A-Za-z0-9_.~-]/n
        private_constant :ALGORITHM, :UNRESERVED

        # Escapes every byte except the unreserved ones as %XX.
        def self.escape(text) = text.b.gsub(UNRESERVED) { |byte| format("%%%02X", byte.ord) }

        attr_reader :keys, :region

        # keys: Credentials. With nil, nothing is signed.
        def initialize(keys, region:, service:)
          @keys = keys
          @region = region
          @service = service
        end

        # The headers of a request, including those with the signature. uri: escaped as it is sent. headers: Hash, all
        # are signed. digest: SHA-256 of the body in hex.
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

        # The query, sorted by its escaped bytes.
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
