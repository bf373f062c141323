# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Layout
        # Slots in a folder that projects share. Each project has a symbolic link for every dependency, and its own
        # folder of hoisted packages. Packages whose scripts may write into them are not shared, nor are their
        # dependents: those are below the project, as without a global virtual store.
        class Global < Layout
          # Changes when the content of a slot changes under the same name.
          FORMAT = 1
          # A part of a path that is one folder.
          PART = %r{\A(?!\.{1,2}\z)[^/\\:\0\s]+\z}

          # shared: the folder, absolute. hashes: GraphHash. Others: see Layout.
          def initialize(folder, longest, root, shared, hashes)
            super(folder, longest)
            @root = root
            @shared = shared
            @hashes = hashes
            @modules = {}
            @paths = {}
            @parts = {} # of slots, below the folder
          end

          def modules(snapshot)
            @modules[snapshot.key] ||= shared?(snapshot) ? "#{slot(snapshot)}/node_modules" : super
          end

          def path(snapshot) = @paths[snapshot.key] ||= "#{modules(snapshot)}/#{snapshot.name}"

          # The path between slots, without comparing their whole paths, which are long and many.
          def sibling(snapshot, name, other)
            from, to = [snapshot, other].map { |each| @parts[each.key] if modules(each) }
            same = (0..3).find { |part| from[part] != to[part] } if from && to
            return Layout.relative(File.dirname("#{modules(snapshot)}/#{name}"), path(other), @root) unless same

            "#{"../" * (5 - same + name.count("/"))}#{to.drop(same).join("/")}/node_modules/#{other.name}"
          end

          # Whether a snapshot is in a slot that projects share.
          def shared?(snapshot) = !@hashes.builds?(snapshot.key)

          # The folder that relative paths of a plan are below: links lead from there into the store.
          attr_reader :root, :shared

          private

          def slot(snapshot)
            version = (snapshot.entry["version"] || snapshot.version).to_s
            # Without a digest the name does not identify the content.
            known = PART.match?(version) && snapshot.entry.dig("resolution", "integrity")
            raise LeftToTool, ["#{snapshot.key} in a global virtual store"] unless known

            scope = "@/" unless snapshot.name.start_with?("@")
            name = "#{scope}#{snapshot.name}/#{version}/#{@hashes.of(snapshot.key)}"
            @parts[snapshot.key] = name.split("/")
            "#{@shared}/#{name}"
          end
        end
      end
    end
  end
end
