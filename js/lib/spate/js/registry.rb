# frozen_string_literal: true

module Spate
  module JS
    # Fetches packages' archives. Requests, retries and errors are those of gem sources (Spate::HTTP and
    # Spate::Registry); this module adds npm's configuration.
    #
    #   Locator   determines the address of a package's archive
    #   Remote    an address, and the credentials to send to it
    #   Client    fetches archives
    module Registry
      autoload :Certificates, "spate/js/registry/certificates"
      %i[Client Proxy].each { |name| autoload name, "spate/js/registry/client" }
      %i[Locator Remote].each { |name| autoload name, "spate/js/registry/locator" }

      # The registry's response is not a JSON object.
      class NotADocument < Spate::HTTP::Error
        EXIT_CODE = 8

        def initialize(name, source:)
          super("#{Util.redact(source)} did not return a JSON object for the package #{name}",
                hint: "a proxy or a network's sign-in page may have responded; open the address in a browser")
        end
      end

      # An address that does not belong to a registry: git, or an invalid address.
      class UnsupportedAddressError < LockfileError
        def initialize(package)
          super("#{package.name}: #{Util.redact(package.resolved)} is neither http, https nor a file of the project",
                hint: "let the project's own package manager install it")
        end
      end

      # Hints for network errors that differ from those for gem sources. They contain npm's keys, but never the values.
      class Advice
        # { class of Spate::HTTP => hint }. The first match is used.
        HINTS = {
          Untrusted: "set the authority that signed it: cafile=FILE in .npmrc, or NODE_EXTRA_CA_CERTS=FILE",
          Truncated: "install again; `fetch-retries` in .npmrc allows more tries",
          TooLarge: "no package is that large: the registry is broken or malicious",
          TooSlow: "the network or the registry is slow: install again; `fetch-timeout` in .npmrc allows more time",
          Status: "the registry has a problem: install again later, or set a mirror in .npmrc (registry=ADDRESS)",
          Unreachable: "check the network, and https-proxy, proxy and noproxy in .npmrc and the environment",
          TooManyRedirects: "the registry has a problem, or the address in the lockfile is wrong",
          Misdirected: "the registry is broken or malicious",
          InsecureRedirect: "if the target is correct, set it as the registry in .npmrc"
        }.freeze
        private_constant :HINTS

        # remote: the Remote of the failed request.
        def initialize(configuration, remote)
          @configuration = configuration
          @remote = remote
        end

        # A copy of the error with a hint for this registry.
        def on(error) = error.with_hint(hint(error))

        private

        def hint(error)
          case error
          when Spate::HTTP::CredentialsRequired, Spate::HTTP::CredentialsRefused, Spate::HTTP::Forbidden
            credentials(error)
          when Spate::HTTP::Status::Missing then missing
          else
            HINTS.each { |name, hint| return hint if error.is_a?(Spate::HTTP.const_get(name)) }
            error.hint
          end
        end

        def credentials(error)
          return "the credentials for #{place} may have expired, or may not read this package: log in again" if given?
          return "#{place}:_authToken is missing in .npmrc" unless error.is_a?(Spate::HTTP::Forbidden)

          "it may need a login: #{place}:_authToken in .npmrc"
        end

        # Registries also return "not found" for private packages.
        def missing
          return "it may have been unpublished: `#{@configuration.tool} install` resolves again" if given?

          "it may have been unpublished, or need a login: #{place}:_authToken in .npmrc"
        end

        def given? = !@remote.authorization.nil?
        def place = @remote.credentials.place || Configuration::NerfDart.of(@remote.source)
      end
    end
  end
end
