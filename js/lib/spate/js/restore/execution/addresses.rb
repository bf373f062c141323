# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Whether the addresses of archives in a pnpm-lock.yaml are those that the registry has for these versions
        # (Pnpm::Planning::Tarballs). The registry's usual address needs no request, and the store keeps the answers.
        class Addresses
          KIND = "js-addresses"

          # packages: [JS::Package] with an address.
          def initialize(context, packages)
            @context = context
            @packages = packages
            @store = context.store
          end

          # Raises LeftToTool, so that pnpm reports what it refuses; NotLocalError.
          def check
            open = @packages.reject { |package| usual?(package) || kept?(package) }
            return if open.empty?
            raise NotLocalError.new(open.map(&:full_name), "the registry's address") if @context.options.local

            refused = open.group_by(&:name).flat_map { |name, packages| refused(name, packages) }
                          .map { |package| reason(package) }
            raise LeftToTool, refused if refused.any?
          end

          private

          def usual?(package) = package.resolved == @context.client.usual_address(package)
          def kept?(package) = @store.shelves.any? { |shelf| shelf.read(KIND, key(package)) }

          # A version that the registry does not have is refused, too.
          def refused(name, packages)
            versions = @context.client.document(name)["versions"]
            packages.reject do |package|
              found = versions.dig(package.version, "dist", "tarball") if versions.is_a?(Hash)
              found == package.resolved && keep(package)
            end
          rescue Spate::HTTP::Error, TypeError
            packages
          end

          def keep(package)
            @store.keeper&.write(KIND, key(package), "")
            true
          end

          def key(package)
            Store.sha256([@context.configuration.registry_for(package.name), package.full_name,
                          package.resolved].join("\0"))
          end

          def reason(package)
            "#{package.full_name} is not at the registry's address: #{Util.redact(package.resolved)}"
          end
        end
      end
    end
  end
end
