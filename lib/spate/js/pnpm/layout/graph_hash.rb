# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Layout
        # The names of slots in a global virtual store: a digest of the package and of everything that it needs, so that
        # projects with the same graph share a slot. As pnpm names them; where something is built, pnpm's name depends
        # on node, too, but that is shared by nobody here.
        class GraphHash
          # lockfile: Lockfile. built: a Proc that answers for a package's name whether its scripts may run.
          def initialize(lockfile, root, built)
            @snapshots = lockfile.snapshots
            @root = root
            @built = built
            @hashes = {}
            @builds = {}
          end

          # Hexadecimal.
          def of(key)
            # pnpm does not sort these two.
            text = ObjectHash.write(+"object:2:".b << "string:6:engine:", nil) << ",string:4:deps:"
            Digest::SHA256.hexdigest(ObjectHash.write(text, hash(key, {})) << ",")
          rescue SystemStackError
            raise LeftToTool, ["a graph of packages that is too deep (#{key})"]
          end

          # Whether something is built there: of the package, or of what it needs.
          def builds?(key, parents = {})
            @builds.fetch(key) do
              next @builds[key] = true if (snapshot = @snapshots[key]) && @built.call(snapshot.name)
              next false if parents.key?(key)

              parents = parents.merge(key => true)
              @builds[key] = children(key).each_value.any? { |child| builds?(child, parents) }
            end
          end

          private

          def hash(key, parents)
            @hashes[key] || begin
              id = id(key)
              needs = parents.key?(id) ? {} : children(key)
              hashes = needs.transform_values { |child| hash(child, parents.merge(id => true)) }
              @hashes[key] = ObjectHash.digest({ "id" => id, "deps" => hashes })
            end
          end

          def id(key)
            snapshot = @snapshots[key] or return key
            integrity = snapshot.entry.dig("resolution", "integrity")
            [DepPath.with_patch(key), integrity].compact.join(":")
          end

          # { alias => key }, and "link:..." for a folder.
          def children(key)
            snapshot = @snapshots[key] or return {}
            links = snapshot.links.transform_values { |path| "link:#{File.expand_path(path, @root)}" }
            snapshot.needs.merge(snapshot.wants, links).sort.to_h
          end
        end
      end
    end
  end
end
