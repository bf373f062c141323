# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # Records which addresses served which archives. A lockfile's digest matches an archive from any source, and
        # does not prove that the registry published it: before a list of registry packages allows it to run scripts,
        # the registry itself must have served it.
        class Origins
          KIND = "origins"

          def initialize(context)
            @context = context
            @store = context.store
          end

          # Call for each archive with scripts that was fetched and verified. name: of its package in the store.
          def note(package, name) = package.file? || @store.write(KIND, key(package, name), "")

          # Whether an item's archive is the one at a package's own address. Fetches it if that was never checked
          # before.
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
            Util::Files.remove(path) if path
          end
        end
      end
    end
  end
end
