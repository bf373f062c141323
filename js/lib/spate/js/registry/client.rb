# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # Fetches packages' archives. One client per run, for any number of threads.
      class Client
        # The best number of simultaneous requests, as measured in docs/sources.md.
        CONNECTIONS = 32
        # Maximum size of an archive in bytes. npm's own registry rejects archives of half this size.
        LIMIT = 1 << 30
        # Maximum size of a registry's document about one package, in bytes.
        DOCUMENT_LIMIT = 1 << 28
        # Values of the Accept header: without and with dates.
        SHORT = "application/vnd.npm.install-v1+json, application/json;q=0.8"
        LONG = "application/json"
        # Defaults for npm's settings: seconds without data, and number of retries.
        TIMEOUT = 30
        RETRIES = 3
        REDIRECTS = 5
        GZIP = "\x1f\x8b".b.freeze
        private_constant :GZIP

        # A fetched archive.
        #
        # bytes:: Integer, its size
        # source:: the registry from which it was fetched, or "file"
        Result = Struct.new(:bytes, :source)

        # The number of threads in which to call fetch.
        attr_reader :jobs

        # configuration: Configuration. retry_base: seconds before the first retry. Raises
        # Configuration::InvalidAuthError.
        def initialize(configuration:, events: Events.new, retry_base: nil)
          @configuration = configuration
          @events = events
          configuration.check_auth if configuration.tool == "npm"
          @locator = Locator.new(configuration)
          @jobs = [whole("maxsockets") || CONNECTIONS, 1].max
          @connections = connections
          @retries = retries(retry_base || ((whole("fetch-retry-mintimeout") || 500) / 1000.0))
          @http = Spate::HTTP::Client.new(@connections, redirects: REDIRECTS, agent: agent)
          @download = Spate::HTTP::Download.new(@http, @retries, limit: LIMIT)
        end

        # Fetches a package's archive to the path `to`, atomically; the caller must check its content. Returns a Result.
        # Raises the errors of Spate::Registry and UnsafePathError.
        def fetch(package, to:)
          return copy(package, to) if package.file?

          remote = @locator.remote(package)
          bytes = asked(remote) { save(package, remote, to) }
          Result.new(bytes, remote.source)
        end

        # The registry's document about a package: Hash. full: with the dates of its versions. Raises the errors of
        # Spate::Registry.
        def document(name, full: false)
          require "json"
          remote = @locator.document(name)
          text = asked(remote) { @retries.run { body(remote, full ? LONG : SHORT) } }
          found = JSON.parse(text)
          found.is_a?(Hash) ? found : raise(JSON::ParserError)
        rescue JSON::ParserError, EncodingError
          raise NotADocument.new(name, source: remote.source)
        end

        # The usual address of a package's archive in its registry. Raises Configuration::UnknownRegistryError.
        def usual_address(package) = @locator.usual(package)

        # Absolute path of a local archive, which a lockfile names with "file:"; nil for all other packages. Raises
        # UnsafePathError.
        def local(package) = package.file? ? @locator.path(package) : nil

        # Immediately ends all requests: their threads raise Util::Cancelled.
        def close
          @retries.cancel
          @connections.close
        end

        private

        def body(remote, accept)
          @http.get(remote, nil, headers: { "Accept" => accept, "Accept-Encoding" => "gzip" }) do |response|
            response.decode_content = true
            text = +""
            response.read_body do |chunk|
              text << chunk
              raise Spate::HTTP::TooLarge.new(remote.locate, DOCUMENT_LIMIT) if text.bytesize > DOCUMENT_LIMIT
            end
            text.force_encoding(Encoding::UTF_8)
          end
        rescue Zlib::Error
          raise Spate::HTTP::Truncated.new(remote.locate, nil, 0)
        end

        def save(package, remote, to)
          @download.save(remote, nil, to: to) do |path, bytes|
            head = File.binread(path, 4096) || ""
            unless head.start_with?(GZIP) || tar?(head)
              found = Spate::Registry::Archive.describe(head)
              raise Spate::Registry::NotAnArchive.new(package.full_name, source: remote.source, found: found,
                                                                         kind: "package")
            end

            bytes
          end
        end

        # npm also accepts an uncompressed archive.
        def tar?(head)
          head.byteslice(Spate::Registry::Archive::MAGIC_OFFSET, 5) == Spate::Registry::Archive::MAGIC
        end

        def asked(remote)
          yield
        rescue Spate::HTTP::Error => e
          raise Advice.new(@configuration, remote).on(e)
        end

        def copy(package, to)
          source = @locator.path(package)
          raise LockfileError.new("#{package.name}: #{source} is missing", hint: MISSING) unless File.file?(source)

          Result.new(IO.copy_stream(source, to), "file")
        rescue SystemCallError => e
          raise Store::Error.for(e, to)
        end

        MISSING = "commit the file: the lockfile refers to it"
        private_constant :MISSING

        def connections
          Spate::HTTP::Connections.new(
            proxy: Proxy.new(@configuration), certificates: Certificates.new(@configuration),
            timeout: (whole("fetch-timeout") || 0).then { |given| given.positive? ? given / 1000.0 : TIMEOUT }
          )
        end

        def retries(base)
          Util::Retries.new(times: whole("fetch-retries") || RETRIES, base: base) do |error, wait|
            @events.emit(:fetch_retry, message: error.message, seconds: wait.round(1))
          end
        end

        # The value of a setting that is a non-negative number.
        def whole(key)
          value = @configuration[key]
          value.to_i if value.is_a?(Numeric) && !value.negative?
        end

        def agent = ["spate/#{VERSION}", "ruby/#{RUBY_VERSION}", "(#{RUBY_PLATFORM})"].join(" ")
      end

      # Determines the proxy for a request: npm's `https-proxy` and `proxy`, then the environment's variables in npm's
      # order. `noproxy` and NO_PROXY list suffixes of host names.
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

        # pnpm has a proxy for each scheme, npm one for all.
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
