# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # One archive of the plan, and its state.
        #
        # published:: the name of the archive's package in the store; nil until it was found or fetched, where the
        #             lockfile has no digest of it, or several
        # key:: the name of what is placed: the same, unless the tool rewrites something in it
        # manifest, facts:: once it is in the store
        # tree:: a folder with its files already made, to be renamed into place, or nil
        # bytes:: of its archive, where it was fetched
        # rewrites:: see Plan
        # base:: of a patched one, the Item of the package as it was published
        class Item
          attr_reader :package, :trees, :patch, :rewrites, :base
          attr_accessor :published, :key, :manifest, :facts, :tree, :bytes

          # patch: absolute path of a patch for it, or nil.
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

          # The name of a patched package. text: of the patch.
          def patched(name, text) = "#{name}-#{Store.sha256(text)[0, 32]}#{"-loose" if loose?}"

          # Whether the patch is a loose one: see Pnpm::Patch.
          def loose? = rewrites.include?(:loose)

          # Possible names of its package in the store.
          def names = [published, *@names].compact.uniq
          def integrity = package.integrity
          def full_name = package.full_name
          # Whether the restore goes on without it.
          def optional? = trees.all?(&:optional)
          def stored? = !manifest.nil?
          # Where its archive comes from, for messages: without what only the registry may know.
          def origin = package.resolved ? Util.redact(package.resolved) : "the registry"

          # Names of packages in the node_modules that its archive has.
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
      end
    end
  end
end
