# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Connects the places of a lockfile: nesting, link targets, dependencies. An edge is two entries of Place#edges:
      # the place it leads to and the kinds it passes on (Kinds::PROD and so on).
      class Graph
        %i[Kinds OptionalSet].each { |name| autoload name, "spate/js/npm/graph/kinds" }

        # lockfile: Lockfile. project: Npm::Project, the package.json files. legacy_peers: ignore peer dependencies.
        def initialize(lockfile, project, legacy_peers: false)
          @lockfile = lockfile
          @places = lockfile.places
          @project = project
          @legacy_peers = legacy_peers
        end

        # The root Place, with all places connected and their kinds set.
        def connect
          @places.each_value { |place| place.folder? ? assign_above(place) : assign_parent(place) }
          links = @places.each_value.select { |place| place.entry["link"] }
          links.each { |place| assign_target(place) }
          root = @places[""]
          root.manifest = @project.manifest
          @places.each_value { |place| place.edges = edges(place) unless place.target }
          Kinds.spread(root)
          root
        end

        private

        def assign_parent(place)
          around = place.path[0, [place.path.size - place.name.size - Place::NODE_MODULES.size - 1, 0].max]
          parent = @places[around]
          return assign_enclosing(place, around) if parent.nil? || parent.entry["link"]

          place.parent = place.above = parent
          children = parent.children ||= {}
          children[place.name] = place
        end

        # Handles a place whose parent is missing in the lockfile, or is a link. A link has no node_modules.
        def assign_enclosing(place, around) = place.above = enclosing(around)
        def assign_above(place) = place.outside? || place.root? || place.above = enclosing(File.dirname(place.path))

        def enclosing(path)
          until path == "." || path.empty?
            found = @places[path]
            return found if found && !found.entry["link"]

            path = File.dirname(path)
          end
          @places[""]
        end

        # Sets the target of a link. Raises LockfileError.
        def assign_target(place)
          path = place.entry["resolved"]
          raise UnsafePathError.new(path, "#{@lockfile.path}: #{place.path}") unless place.parent && path.is_a?(String)

          target = @places[path.delete_suffix("/")]
          refuse(place, path) if target.nil? || target.entry["link"]
          raise UnsafePathError.new(path, "#{@lockfile.path}: #{place.path}") unless allowed?(target)

          place.target = target
          target.manifest ||= target.root? || !target.folder? ? nil : @project.folder(target.path)
        end

        def refuse(place, path)
          raise LockfileError.new("#{@lockfile.path}: #{place.path} links to #{path.inspect}, which is missing there",
                                  hint: "regenerate it: npm install")
        end

        def allowed?(target) = !target.outside? || @project.names?(target.path)

        # For the root, its workspaces override dependencies of the same name.
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

        # One key of a lockfile's `packages`: the root (""), a folder of the project ("packages/a"), a package below a
        # node_modules ("node_modules/a/node_modules/b"), or a link to a folder.
        class Place
          NODE_MODULES = "node_modules/"

          # path:: the key. name:: the last folder below node_modules (an alias may differ from the package's name).
          # entry:: Hash, its entry in the lockfile.
          attr_reader :path, :name, :entry
          # parent:: the Place in whose node_modules it is; nil for a folder of the project
          # above:: the Place in which the lookup of its packages continues: the parent, or the enclosing folder
          # target:: the Place to which a link leads
          # children:: { name => Place }
          # manifest:: the package.json of a folder of the project
          # edges:: [Place, kinds, Place, kinds, ...]: its dependencies, see Graph
          # dependents:: the reverse of edges, see OptionalSet
          # kinds:: bits, see Kinds
          # inert:: whether it is left out together with an optional package
          # bundler:: the Place whose archive contains it
          attr_accessor :parent, :above, :target, :children, :edges, :dependents, :kinds, :manifest, :inert, :bundler

          def initialize(path, name, entry)
            @path = path
            @name = name
            @entry = entry
            @kinds = 0
          end

          def root? = @path.empty?
          def link? = !@target.nil?
          # Whether it is a folder of the project, not below a node_modules.
          def folder? = @name.nil?
          # Whether it is needed at all. Kinds has the reasons.
          def wanted? = @kinds.anybits?(Kinds::WANTED)
          def dev? = @kinds.nobits?(Kinds::DEV_FREE)
          def optional? = @kinds.nobits?(Kinds::OPTIONAL_FREE)
          def peer? = @kinds.nobits?(Kinds::PEER_FREE)
          def dev_optional? = @kinds.nobits?(Kinds::PLAIN) && !dev? && !optional?
          # Whether it is outside of the root.
          def outside? = @path == ".." || @path.start_with?("../")
          # The fields of its package.json in the lockfile; for a folder, the package.json itself.
          def data = @manifest || (@target ? @target.data : @entry)
          # The package's name in the registry.
          def package_name = @entry["name"] || @name || folder_name
          def version = data["version"]
          # npm's name for a folder, including its scope, if any.
          def folder_name = @path[%r{(?:\A|/)(@[^/]+/[^/]+)\z}, 1] || File.basename(@path)

          # The place that `require(name)` finds from this one, or nil.
          def resolve(name)
            place = self
            place = place.above until place.nil? || (found = place.children&.[](name))
            found
          end

          # The outermost place around it, outside of any node_modules.
          def top
            place = self
            place = place.parent while place.parent
            place
          end

          def depth = @parent ? @parent.depth + 1 : 0
        end

        # The dependencies of a place. If a name is in several fields, the last field applies.
        module Asked
          module_function

          # { name => [spec, kinds that the edge passes on] }
          def of(place, legacy_peers: false)
            data = place.data
            found = {}
            peers(found, data) unless legacy_peers
            mark(found, data["dependencies"], Kinds::PROD)
            mark(found, data["optionalDependencies"], Kinds::OPTIONAL)
            mark(found, data["devDependencies"], Kinds::DEV) if place.folder?
            found
          end

          def peers(found, data)
            meta = data["peerDependenciesMeta"] || {}
            data["peerDependencies"]&.each do |name, spec|
              found[name] = [spec, meta.dig(name, "optional") ? Kinds::PEER_OPTIONAL : Kinds::PEER]
            end
          end

          def mark(found, dependencies, kind)
            dependencies&.each { |name, spec| found[name] = [spec, kind] }
          end
        end

        # Finds the places that are in the archive of an enclosing package: the bundled packages, everything below them,
        # and their dependencies in the same node_modules.
        module Bundles
          module_function

          # Sets Place#bundler of places that come in an archive, or that the root bundles, which npm marks in the same
          # way. places: all places of a lockfile, connected.
          def assign_bundlers(places)
            bundling = places.each_value.select { |place| place.children && names(place).any? }
            bundling.sort_by(&:depth).each { |place| assign_bundler_of(place) unless place.bundler }
          end

          def names(place)
            list = place.data["bundleDependencies"]
            list.is_a?(Array) ? list : []
          end

          def assign_bundler_of(bundler)
            queue = names(bundler).filter_map { |name| bundler.children[name] }
            while (place = queue.shift)
              next if place.bundler

              place.bundler = bundler
              queue.concat(place.children.values) if place.children
              place.edges&.each_slice(2) { |to, _| queue << to if to.parent.equal?(bundler) }
            end
          end
        end
      end
    end
  end
end
