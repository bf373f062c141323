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
            address = package.resolved
            return !package.version.nil? if address.nil?
            return false unless @configuration && package.version

            name, version = [package.name, package.version.sub(/\+.*/, "")].map { |part| Regexp.escape(part) }
            name = name.sub("/", "(?:/|%2f)")
            base = Regexp.escape(package.name[%r{[^/]+\z}])
            host = address[%r{\A(https?://[^/?#]+)/(?:[^?#]*/)?#{name}/-/#{base}-#{version}\.tgz\z}i, 1]
            !host.nil? && hosts(package.name).include?(host.downcase)
          end

          private

          def hosts(name)
            [@configuration.registry_for(name), @configuration.public_registry]
              .compact.map { |address| address[%r{\A[a-z]+://[^/]+}i].to_s.downcase }
          end
        end
      end
    end
  end
end
