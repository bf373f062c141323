# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Fetches and unpacks packages into the store.
      module Supply
        %i[Acquisition Packages].each { |name| autoload name, "spate/js/restore/supply/packages" }
        %i[Patched Rewritten].each { |name| autoload name, "spate/js/restore/supply/rewritten" }

        # One archive of the plan, and the progress of its restore.
        #
        # published:: the name of the archive's package in the store; nil until the package is found or fetched, if the
        #             lockfile does not have exactly one digest
        # key:: the name of the package to place: equal to published, unless the tool rewrites files in it
        # manifest, facts:: set once the package is in the store
        # tree:: a folder with the files already created, to be renamed into place, or nil
        # bytes:: size of the archive, if it was fetched
        # rewrites:: see Plan
        # base:: for a patched package, the Item of the unpatched package
        class Item
          attr_reader :package, :trees, :patch, :rewrites, :base
          attr_accessor :published, :key, :manifest, :facts, :tree, :bytes

          # patch: absolute path of a patch for the package, or nil.
          def initialize(package, patch = nil, rewrites = [])
            @package = package
            @rewrites = Array(rewrites)
            @patch = patch
            @base = Item.new(package) if patch
            @names = package.integrity&.names.to_a
            @names = @names.map { |name| patched(name, File.binread(patch)) } if patch
            @published = @key = (@names.first if @names.one?)
            @trees = []
          end

          # The name of a patched package in the store. text: content of the patch.
          def patched(name, text) = "#{name}-#{Store.sha256(text)[0, 32]}#{"-loose" if loose?}"

          # Whether the patch is loose: see Pnpm::Patch.
          def loose? = rewrites.include?(:loose)

          # Possible names of the package in the store.
          def names = [published, *@names].compact.uniq
          def integrity = package.integrity
          def full_name = package.full_name
          # Whether the restore can continue without this package.
          def optional? = trees.all?(&:optional)
          def stored? = !manifest.nil?
          # The origin of the archive, for messages. Leaves out secret parts of the address.
          def origin = package.resolved ? Util.redact(package.resolved) : "the registry"

          # Names of the packages in the archive's node_modules.
          def bundled
            return [] unless manifest

            manifest.paths.filter_map { |path| path[%r{\Anode_modules/((?:@[^/]+/)?[^/]+)}, 1] }.uniq
          end

          # Removes a tree that was not renamed into place.
          def discard_tree
            Store::Sweep.remove(tree) if tree
            self.tree = nil
          end
        end

        # The archives of a plan. Each occurs once, even if it is placed several times.
        class Items
          include Enumerable

          def initialize(plan)
            @by_tree = {}.compare_by_identity
            found = {}
            plan.trees.each do |tree|
              item = found[[identity(tree.package), tree.patch]] ||=
                Item.new(tree.package, (File.expand_path(tree.patch, plan.root) if tree.patch), plan.rewrites)
              item.trees << tree
              @by_tree[tree] = item
            end
            @all = found.values
          end

          def each(&) = @all.each(&)
          def size = @all.size
          # The Item of a tree.
          def of(tree) = @by_tree.fetch(tree)

          private

          # Without a digest, only name, version and address identify a package.
          def identity(package) = package.integrity&.key || [package.name, package.version, package.resolved]
        end

        # Verifies an archive against the lockfile. A single SHA-512 is verified by the core while it unpacks. All other
        # digests are computed here, before anything is unpacked.
        module Digests
          CLASSES = { "sha512" => :SHA512, "sha384" => :SHA384, "sha256" => :SHA256, "sha1" => :SHA1 }.freeze

          module_function

          # The hexadecimal digest that the core verifies, or nil.
          def for_core(integrity)
            integrity.digests.first if integrity && integrity.algorithm == "sha512" && integrity.digests.one?
          end

          # Verifies all other digests. Returns the archive's digest (the expected one if the core verifies it), or nil
          # without an integrity. Raises ChecksumError. path: the item's archive.
          def verify(item, path)
            return unless item.integrity

            for_core(item.integrity) || of(item.integrity, path).tap do |found|
              raise ChecksumError.new(item, found) unless item.integrity.digests.include?(found)
            end
          end

          # The hexadecimal digest of a file, with the algorithm of an Integrity.
          def of(integrity, path)
            require "digest"
            Digest.const_get(CLASSES.fetch(integrity.algorithm)).file(path).hexdigest
          end
        end

        # Records which addresses served which archives. A lockfile's digest matches the same archive from any source,
        # so it does not prove that the registry published it. A list of registry packages allows scripts to run only if
        # the registry itself has served the archive.
        class Origins
          KIND = "origins"

          def initialize(context)
            @context = context
            @store = context.store
          end

          # Call this for each verified archive with scripts. name: of its package in the store.
          def note(package, name) = package.file? || @store.write(KIND, key(package, name), "")

          # Whether the package's own address serves the item's archive. Fetches the archive if this was not checked
          # before. Raises ChecksumError, and the errors of the client.
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
