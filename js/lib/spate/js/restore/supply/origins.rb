# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # Which addresses have had which archives. A digest of the lockfile finds an archive wherever it came from, and
        # says nothing of whose it is: before a list of the registry's packages lets one run something, the registry
        # itself must have had it.
        class Origins
          KIND = "origins"

          def initialize(context)
            @context = context
            @store = context.store
          end

          # To be told of each archive with scripts that was fetched and verified. name: of its package in the store.
          def note(package, name) = package.file? || @store.write(KIND, key(package, name), "")

          # Whether an item's archive is the one at a package's own address, which is asked where nobody has before.
          # Raises ChecksumError, and what the client raises.
          def vouch?(item, package)
            name = (item.base || item).published
            return true if package.integrity.nil? || @store.read(KIND, key(package, name))
            return false if @context.options.local && !package.file?

            fetch(package)
            note(package, name)
            true
          end

          private

          def key(package, name)
            registry = @context.configuration&.registry_for(package.name)
            Store.sha256([name, package.name, package.version, package.resolved, registry].join("\n"))
          end

          def fetch(package)
            path = @store.temporary("archive")
            @context.client.fetch(package, to: path)
            found = Digests.of(package.integrity, path)
            raise ChecksumError.new(Item.new(package), found) unless package.integrity.digests.include?(found)
          ensure
            Ground::Files.remove(path) if path
          end
        end
      end
    end
  end
end
