# frozen_string_literal: true

module Spate
  module HTTP
    # Base class of HTTP errors. The exit code is 6 (network) unless a subclass defines a different one.
    class Error < Spate::Error
      EXIT_CODE = 6

      # Returns a copy with a different hint, for sources that are configured differently.
      def with_hint(hint) = dup.tap { |copy| copy.instance_variable_set(:@hint, hint) }
    end

    # The connection failed: refused, reset, timed out, or host name not resolved.
    class Unreachable < Error
      include Util::Retriable

      def initialize(uri, cause)
        reason = cause.message.to_s.empty? ? cause.class.name : cause.message
        super("#{Util.redact(uri)} cannot be reached: #{Util.redact(reason)}",
              hint: "check the network, the proxy settings (http_proxy, https_proxy, no_proxy) and `bundle config`")
      end
    end

    # Fewer bytes arrived than announced. expected, got: bytes. expected is nil if the length was not announced.
    class Truncated < Error
      include Util::Retriable

      def initialize(uri, expected, got)
        super("#{Util.redact(uri)} closed the connection after #{got} #{"of #{expected} " if expected}bytes",
              hint: "install again; the setting `retry` allows more tries")
      end
    end

    # A response is larger than the limit for gems.
    class TooLarge < Error
      EXIT_CODE = 8

      # limit, announced: bytes. announced is nil if the size was not announced.
      def initialize(uri, limit, announced: nil)
        super("#{Util.redact(uri)} #{announced ? "has #{announced} bytes" : "sends more"}, " \
              "the limit is #{limit} bytes (#{limit >> 20} MiB)",
              hint: "if you trust it: `bundle config set --local spate.max_download MiB`")
      end
    end

    # The headers, or a single header, exceed the limit.
    class Endless < Error
      # limit: bytes.
      def initialize(uri, limit)
        super("#{Util.redact(uri)} sends more than #{limit} bytes of headers, expected a few hundred",
              hint: "the source is broken or malicious, or a proxy responded instead")
      end
    end

    # Data arrives too slowly for the download to finish in reasonable time.
    class TooSlow < Error
      include Util::Retriable

      def initialize(uri, cause)
        super("#{Util.redact(uri)} #{cause.message}",
              hint: "the network or the source is slow: install again; the setting `timeout` allows more time")
      end
    end

    # A response with an error status: 5xx, 429, or an unexpected one.
    class Status < Error
      attr_reader :status

      def initialize(uri, status, reason)
        @status = status
        super("#{Util.redact(uri)} returned #{status}#{" #{reason}" unless reason.to_s.empty?}",
              hint: "the source has a problem: install again later, or use a mirror (`bundle config mirror.URL`)")
      end

      # 408, 425, 429, 500, 502, 503 or 504. The request may succeed later.
      class Temporary < Status
        include Util::Retriable
      end

      # 404 or 410.
      class Missing < Status
      end
    end

    # 401 for a request without credentials.
    class CredentialsRequired < Error
      def initialize(uri)
        host = uri.host
        super("#{Util.redact(uri)} requires a user and password (401)",
              hint: "bundle config set --global #{host} USER:PASSWORD, or set the environment variable " \
                    "#{Settings::Key.for(host)}")
      end
    end

    # 401 for a request with credentials.
    class CredentialsRefused < Error
      # origin: where the credentials came from, e.g. "the setting gems.test".
      def initialize(uri, origin)
        super("#{Util.redact(uri)} refuses the credentials from #{origin} (401)",
              hint: "bundle config set --global #{uri.host} USER:PASSWORD")
      end
    end

    # 403, with or without credentials. Some sources also return it for missing gems.
    class Forbidden < Error
      def initialize(uri, origin)
        super("#{Util.redact(uri)} is forbidden (403)#{origin ? " with the credentials from #{origin}" : ""}",
              hint: "check the permissions of this user there, or use other credentials: " \
                    "bundle config set --global #{uri.host} USER:PASSWORD")
      end
    end

    # A redirect that is not followed.
    class RedirectError < Error
      # The message without the address.
      attr_reader :fact

      def initialize(uri, fact, hint:)
        @fact = fact
        super("#{Util.redact(uri)} #{fact}", hint: hint)
      end
    end

    class TooManyRedirects < RedirectError
      def initialize(uri, limit)
        super(uri, "redirects more than #{limit} times", hint: "the setting `redirect` raises the limit")
      end
    end

    # A redirect to an address that is invalid or neither http nor https.
    class Misdirected < RedirectError
      def initialize(uri, location)
        super(uri, "redirects to #{Util.redact(location)}, expected http or https",
              hint: "the source is broken or malicious; a source in a folder must be named in the Gemfile")
      end
    end

    # A redirect from https to http. RubyGems also rejects it, and Bundler rejects it for archives, which it fetches
    # with RubyGems.
    class InsecureRedirect < RedirectError
      def initialize(uri, location)
        super(uri, "redirects to #{Util.redact(location)}, which is not https",
              hint: "use the target as the source if that is what you want")
      end
    end

    # The certificate of a source (or of a proxy) could not be verified.
    class Untrusted < Error
      def initialize(uri, cause)
        super("the certificate of #{Util.redact(uri)} is not trusted: #{cause.message}",
              hint: "set the authority that signed it: bundle config set ssl_ca_cert FILE, or SSL_CERT_FILE=FILE")
      end
    end
  end
end
