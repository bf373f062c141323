# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # Determines the address of a package's archive. If the lockfile has none, it is the usual address in the
      # registry. With npm, an address of the public registry means the configured registry (`replace-registry-host`).
      class Locator
        def initialize(configuration)
          @configuration = configuration
        end

        # Returns the Remote of a Package. Raises UnsupportedAddressError, Configuration::UnknownRegistryError.
        def remote(package)
          registry = @configuration.registry_for(package.name)
          text = package.resolved ? given(package) : standard(package, registry)
          address = parse(text) or raise Spate::Registry::UnsupportedSource, Util.redact(registry || text)
          Remote.new(address, source: registry || "#{address.origin}/",
                              credentials: @configuration.nerf_dart.for(address.to_s, registry))
        end

        # The address of a package whose lockfile entry has none.
        def usual(package) = standard(package, @configuration.registry_for(package.name))

        # The Remote of the registry's document about a package. Raises Configuration::UnknownRegistryError.
        def document(name)
          registry = @configuration.registry_for(name) or raise Configuration::UnknownRegistryError, name
          address = parse("#{registry}#{name.sub("/", "%2F")}") or
            raise Spate::Registry::UnsupportedSource, Util.redact(registry)
          Remote.new(address, source: registry, credentials: @configuration.nerf_dart.for(address.to_s, registry))
        end

        # Absolute path of a "file:" archive. It must be inside the project. Raises UnsafePathError.
        def path(package)
          inside = package.resolved.delete_prefix("file:").delete_prefix("./")
          File.join(@configuration.root, Package::Name.check_path(inside, package.name))
        end

        private

        def standard(package, registry)
          raise UnsupportedAddressError, package unless package.version

          name = package.name
          raise Configuration::UnknownRegistryError, name unless registry

          "#{registry}#{name}/-/#{name[%r{[^/]+\z}]}-#{package.version.sub(/\+.*/, "")}.tgz"
        end

        def given(package)
          address = parse(package.resolved)
          raise UnsupportedAddressError, package unless address && %w[http https].include?(address.scheme)
          return package.resolved unless @configuration.tool == "npm" && replaced?(address)

          registry = @configuration.registry or raise Configuration::UnknownRegistryError, package.name
          "#{registry.delete_suffix("/")}#{address.path}#{address.query}"
        end

        # npm compares hosts without ports. The setting's value may also be a host name.
        def replaced?(address)
          case wanted = @configuration["replace-registry-host"] || "npmjs"
          when "never" then false
          when "always" then true
          when "npmjs" then public_host && address.host == public_host
          else address.host == wanted.to_s.downcase
          end
        end

        def public_host
          return @public_host if defined?(@public_host)

          @public_host = @configuration.public_registry&.then { |registry| parse(registry)&.host }
        end

        def parse(address) = Configuration::Address.parse(address)
      end

      # An archive's address and the credentials for it, with the interface that Spate::HTTP expects.
      class Remote
        # The registry's address, for messages and events; without credentials.
        attr_reader :source
        # Configuration::NerfDart::Found.
        attr_reader :credentials

        # address: Configuration::Address, which may contain credentials. source: the registry that has the archive.
        def initialize(address, source:, credentials:)
          @address = address
          @source = source
          @credentials = credentials
        end

        # The URI of the archive. The argument is ignored: the Remote has a single address.
        def locate(_path = nil)
          @uri ||= begin
            require "uri"
            URI(to_s).tap { |uri| raise URI::Error unless uri.host&.downcase == @address.host }
          end
        rescue URI::Error
          raise Spate::Registry::UnsupportedSource, to_s
        end

        # Value of the Authorization header, or nil.
        def authorization
          @credentials.authorization || (userinfo && Spate::HTTP.basic(userinfo))
        end

        # The origin of the credentials, for messages.
        def origin = @credentials.authorization ? "#{@credentials.place} in npm's configuration" : "the address itself"
        # The client certificate that a connection presents. Connections with different certificates are not shared.
        def identity = @credentials.certificate? ? @credentials : nil
        def mirror? = false
        def file? = false
        def to_s = @address.to_s

        private

        def userinfo = @address.userinfo
      end
    end
  end
end
