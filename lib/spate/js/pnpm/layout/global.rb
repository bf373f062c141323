# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Layout
        # Slots in a folder that projects share; each project has a symbolic link a dependency, and its own folder for
        # what is hoisted.
        class Global < Layout
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

          def modules(snapshot) = "#{slot(snapshot)}/node_modules"
          def path(snapshot) = "#{slot(snapshot)}/node_modules/#{snapshot.name}"

          def sibling(snapshot, name, other)
            Layout.relative(File.dirname("#{modules(snapshot)}/#{name}"), path(other))
          end

          # The folder that relative paths of a plan are below: links lead from there into the store.
          attr_reader :root, :shared

          private

          def slot(snapshot)
            @slots[snapshot.key] ||= begin
              version = (snapshot.entry["version"] || snapshot.version).to_s
              raise LeftToTool, ["#{snapshot.key} in a global virtual store"] unless PART.match?(version)

              scope = snapshot.name.start_with?("@") ? "" : "@/"
              "#{@shared}/#{scope}#{snapshot.name}/#{version}/#{@hashes.of(snapshot.key)}"
            end
          end
        end
      end
    end
  end
end
