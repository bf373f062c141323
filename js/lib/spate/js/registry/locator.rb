# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # The location of a package's archive. If a lockfile has no address, it is the registry's; an address of the
      # public registry means, with npm, the configured registry (`replace-registry-host`).
      class Locator
        def initialize(configuration)
          @configuration = configuration
        end

        # Remote of a Package. Raises UnsupportedAddressError, Configuration::UnknownRegistryError.
        def remote(package)
          registry = @configuration.registry_for(package.name)
          text = package.resolved ? given(package) : standard(package, registry)
          address = parse(text) or raise Spate::Registry::UnsupportedSource, Util.redact(registry || text)
          Remote.new(address, source: registry || "#{address.origin}/",
                              credentials: @configuration.nerf_dart.for(address.to_s, registry))
        end

        # The address for a lockfile entry without one.
        def usual(package) = standard(package, @configuration.registry_for(package.name))

        # The Remote of the registry's document about a package. Raises Configuration::UnknownRegistryError.
        def document(name)
          registry = @configuration.registry_for(name) or raise Configuration::UnknownRegistryError, name
          address = parse("#{registry}#{name.sub("/", "%2F")}") or
            raise Spate::Registry::UnsupportedSource, Util.redact(registry)
          Remote.new(address, source: registry, credentials: @configuration.nerf_dart.for(address.to_s, registry))
        end

        # Absolute path of a "file:" archive, which must be inside the project. Raises UnsafePathError.
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

        # npm compares hosts without ports. The setting's value may also be an address.
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

        # address: Configuration::Address, which may contain credentials. source: the registry it belongs to.
        def initialize(address, source:, credentials:)
          @address = address
          @source = source
          @credentials = credentials
        end

        # The URI of the archive, which has no other parts.
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

        # Where the credentials come from, for messages.
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
