# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      module Policy
        # Whether a package comes from the registry, under the name that the lockfile gives it.
        class Source
          # configuration: answers registry_for(name) and public_registry; nil: only what has no address is from there.
          def initialize(configuration)
            @configuration = configuration
            @unknown = []
          end

          # Full names of packages that would have been proven if a registry were known.
          attr_reader :unknown

          # Whether it is one, for a list that names it.
          def proven?(package)
            found = registry?(package)
            known = found || package.file? || @configuration.nil? || @configuration.public_registry
            @unknown |= [package.full_name] unless known
            found
          end

          def registry?(package)
            return false unless package.version
            return package.resolved.nil? unless @configuration

            known = registries(package.name)
            package.resolved ? below?(package, known) : known.any?
          end

          private

          def below?(package, registries)
            address = Configuration::Address.parse(package.resolved)
            !address.nil? && registries.any? { |registry| archive?(package, address, registry) }
          end

          # Below the registry's own path: a host may have registries of several people.
          def archive?(package, address, registry)
            return false unless address.origin == registry.origin && address.path.start_with?(registry.path) &&
                                address.query.empty?

            name, version = [package.name, package.version.sub(/\+.*/, "")].map { |part| Regexp.escape(part) }
            base = Regexp.escape(package.name[%r{[^/]+\z}])
            address.path.delete_prefix(registry.path)
                   .match?(%r{\A#{name.sub("/", "(?:/|%2[fF])")}/-/#{base}-#{version}\.tgz\z})
          end

          def registries(name)
            [@configuration.registry_for(name), @configuration.public_registry]
              .compact.uniq.filter_map { |address| Configuration::Address.parse(address) }
          end
        end
      end
    end
  end
end
