# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Connects the places of a lockfile: nesting, link targets, dependencies. An edge is two entries of Place#edges:
      # the place it leads to and the kinds it lets pass (Kinds::PROD and the like).
      class Graph
        autoload :Asked, "spate/js/npm/graph/asked"
        autoload :Bundles, "spate/js/npm/graph/bundles"
        autoload :Kinds, "spate/js/npm/graph/kinds"
        autoload :OptionalSet, "spate/js/npm/graph/optional_set"
        autoload :Place, "spate/js/npm/graph/place"

        # lockfile: Lockfile. project: Npm::Project, the package.json files. legacy_peers: ignore peer dependencies.
        def initialize(lockfile, project, legacy_peers: false)
          @lockfile = lockfile
          @places = lockfile.places
          @project = project
          @legacy_peers = legacy_peers
        end

        # The root Place, with all places connected and their kinds set.
        def connect
          @places.each_value { |place| place.folder? ? put_around(place) : put_in_folder(place) }
          links = @places.each_value.select { |place| place.entry["link"] }
          links.each { |place| lead(place) }
          root = @places[""]
          root.manifest = @project.manifest
          @places.each_value { |place| place.edges = edges(place) unless place.target }
          Kinds.spread(root)
          root
        end

        private

        def put_in_folder(place)
          around = place.path[0, [place.path.size - place.name.size - Place::NODE_MODULES.size - 1, 0].max]
          parent = @places[around]
          return stray(place, around) if parent.nil? || parent.entry["link"]

          place.parent = place.above = parent
          children = parent.children ||= {}
          children[place.name] = place
        end

        # Its parent is not in the lockfile, or is a link, which has no node_modules of its own.
        def stray(place, around) = place.above = enclosing(around)
        def put_around(place) = place.outside? || place.root? || place.above = enclosing(File.dirname(place.path))

        def enclosing(path)
          until path == "." || path.empty?
            found = @places[path]
            return found if found && !found.entry["link"]

            path = File.dirname(path)
          end
          @places[""]
        end

        # Where a link leads. Raises LockfileError.
        def lead(place)
          path = place.entry["resolved"]
          raise UnsafePathError.new(path, "#{@lockfile.path}: #{place.path}") unless place.parent && path.is_a?(String)

          target = @places[path.delete_suffix("/")]
          refuse(place, path) if target.nil? || target.entry["link"]
          raise UnsafePathError.new(path, "#{@lockfile.path}: #{place.path}") unless allowed?(target)

          place.target = target
          target.manifest ||= target.root? || !target.folder? ? nil : @project.folder(target.path)
        end

        def refuse(place, path)
          raise LockfileError.new("#{@lockfile.path}: #{place.path} links to #{path.inspect}, which it does not have",
                                  hint: "regenerate it: npm install")
        end

        def allowed?(target) = !target.outside? || @project.names?(target.path)

        # The root's workspaces come before all.
        def edges(place)
          found = Asked.of(place, legacy_peers: @legacy_peers)
          @project.workspaces.each_key { |name| found[name] = [nil, Kinds::PROD] } if place.root?
          found.empty? ? nil : resolved(place, found)
        end

        def resolved(place, found)
          found.each_with_object([]) do |(name, (_, kind)), edges|
            to = place.resolve(name)
            edges << to << kind if to
          end
        end
      end
    end
  end
end
