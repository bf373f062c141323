# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Layout
        # Slots in a folder that projects share; each project has a symbolic link a dependency, and its own folder for
        # what is hoisted. What scripts may write into is not shared, nor what needs such a package: those are below the
        # project, as without a global virtual store.
        class Global < Layout
          # Another one where something is made otherwise under the same names.
          FORMAT = 1
          # A part of a path that is one folder.
          PART = %r{\A(?!\.{1,2}\z)[^/\\:\0\s]+\z}

          # shared: the folder, absolute. hashes: GraphHash. Others: see Layout.
          def initialize(folder, longest, root, shared, hashes)
            super(folder, longest)
            @root = root
            @shared = shared
            @hashes = hashes
            @slots = {}
          end

          def modules(snapshot) = @hashes.builds?(snapshot.key) ? super : "#{slot(snapshot)}/node_modules"
          def path(snapshot) = "#{modules(snapshot)}/#{snapshot.name}"

          def sibling(snapshot, name, other)
            Layout.relative(File.dirname("#{modules(snapshot)}/#{name}"), path(other), @root)
          end

          # Whether a snapshot is in a slot that projects share.
          def shared?(snapshot) = !@hashes.builds?(snapshot.key)

          # The folder that relative paths of a plan are below: links lead from there into the store.
          attr_reader :root, :shared

          private

          def slot(snapshot)
            @slots[snapshot.key] ||= begin
              version = (snapshot.entry["version"] || snapshot.version).to_s
              # Without a digest the name says nothing of what is in it.
              known = PART.match?(version) && snapshot.entry.dig("resolution", "integrity")
              raise LeftToTool, ["#{snapshot.key} in a global virtual store"] unless known

              scope = snapshot.name.start_with?("@") ? "" : "@/"
              "#{@shared}/#{scope}#{snapshot.name}/#{version}/#{@hashes.of(snapshot.key)}"
            end
          end
        end
      end
    end
  end
end
