# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Layout
        # The names of slots in a global virtual store: a digest of the package and all its dependencies, so that
        # projects with the same graph share a slot. As pnpm names them, with two exceptions. In a dependency cycle,
        # pnpm's names depend on where it began, and leave out some dependencies: two projects would need different
        # content in one slot. And packages that are built are not shared here.
        class GraphHash
          # lockfile: Lockfile. built: a Proc that answers for a package's name whether its scripts may run.
          def initialize(lockfile, root, built)
            @snapshots = lockfile.snapshots
            @root = root
            @built = built
            @hashes = {}
            @own = {}
            @children = {}
            @builds = {}.compare_by_identity
            @circles = Circles.new { |key| children(key).values }
          end

          # Hexadecimal.
          def of(key)
            # pnpm does not sort these two.
            text = ObjectHash.write(+"object:2:".b << "string:6:engine:", nil) << ",string:4:deps:"
            Digest::SHA256.hexdigest(ObjectHash.write(text, hash(key)) << ",")
          rescue SystemStackError
            raise LeftToTool, ["a graph of packages that is too deep (#{key})"]
          end

          # Whether something is built there: of the package, or of what it needs.
          def builds?(key)
            circle = @circles.of(key)
            @builds.fetch(circle) do
              @builds[circle] = circle.any? { |each| built?(each) } ||
                                circle.any? { |each| outside(each, circle).any? { |child| builds?(child) } }
            end
          rescue SystemStackError
            raise LeftToTool, ["a graph of packages that is too deep (#{key})"]
          end

          private

          def built?(key) = (snapshot = @snapshots[key]) && @built.call(snapshot.name)
          def outside(key, circle) = children(key).values - circle

          def hash(key)
            @hashes[key] ||= begin
              circle = @circles.of(key)
              all = own(key, circle)
              all["circle"] = circle.map { |each| digest(each, circle) }.sort if circle.size > 1
              ObjectHash.digest(all)
            end
          end

          # A package in its circle, of which the others are names alone.
          def own(key, circle)
            { "id" => id(key),
              "deps" => children(key).transform_values { |child| circle.include?(child) ? child : hash(child) } }
          end

          def digest(key, circle) = @own[key] ||= ObjectHash.digest(own(key, circle))

          def id(key)
            snapshot = @snapshots[key] or return key
            integrity = snapshot.entry.dig("resolution", "integrity")
            [DepPath.with_patch(key), integrity].compact.join(":")
          end

          # { alias => key }, and "link:..." for a folder.
          def children(key)
            @children[key] ||= begin
              snapshot = @snapshots[key]
              links = snapshot ? snapshot.links.transform_values { |path| "link:#{File.expand_path(path, @root)}" } : {}
              snapshot ? snapshot.needs.merge(snapshot.wants, links) : links
            end
          end
        end
      end
    end
  end
end
