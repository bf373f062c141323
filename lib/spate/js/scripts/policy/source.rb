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
          end

          def registry?(package)
            return !package.version.nil? if package.resolved.nil?
            return false unless @configuration && package.version

            address = Configuration::Address.parse(package.resolved)
            !address.nil? && registries(package.name).any? { |registry| archive?(package, address, registry) }
          end

          private

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
              .filter_map { |address| Configuration::Address.parse(address) }
          end
        end
      end
    end
  end
end
