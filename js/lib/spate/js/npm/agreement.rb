# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Whether the lockfile satisfies all dependencies of the package.json files and of its own entries, as `npm ci`
      # requires: npm would have to ask the registry for anything missing.
      class Agreement
        autoload :Overrides, "spate/js/npm/agreement/overrides"
        autoload :Peers, "spate/js/npm/agreement/peers"
        autoload :Spec, "spate/js/npm/agreement/spec"

        # A dependency that the lockfile does not satisfy. asked: "a@^2.0.0 (package.json)". found: for people.
        Problem = Struct.new(:asked, :found) do
          def to_s = "#{asked}: #{found}"
        end

        # Raises DisagreementError, LeftToTool. lockfile: connected by Graph. legacy_peers: ignore peer dependencies.
        # strict_peers, force: how to treat a peer of the wrong version.
        def self.check(lockfile, project, legacy_peers: false, **peers)
          problems = new(lockfile, project, legacy_peers, **peers).problems
          return if problems.empty?

          raise DisagreementError.new(
            "#{lockfile.path} is not what package.json asks for: #{problems.first}",
            details: problems.drop(1).map(&:to_s),
            hint: "`npm install` brings the lockfile up to date; commit it"
          )
        end

        def initialize(lockfile, project, legacy_peers, **peers)
          @lockfile = lockfile
          @project = project
          @legacy_peers = legacy_peers
          @overrides = Overrides.new(lockfile, legacy_peers)
          @peers = Peers.new(lockfile, **peers)
        end

        # [Problem]
        def problems = looked_at.flat_map { |place| asked_by(place) } + workspaces

        private

        # The places npm checks: all that the root needs, not through links, and the folders that its own folders link
        # to.
        def looked_at
          found = reach(@lockfile.root) { |place| needed(place).reject(&:target) }
          folders = reach(@lockfile.root) { |place| needed(place).filter_map(&:target).reject(&:outside?) }
          found.merge(folders).keys
        end

        def needed(place) = place.edges ? place.edges.grep(Graph::Place) : []

        # { Place => true } of what the block leads to.
        def reach(place)
          found = {}.compare_by_identity
          queue = [place]
          while (place = queue.pop)
            next if found.key?(place)

            found[place] = true
            queue.concat(yield(place))
          end
          found
        end

        def asked_by(place)
          Graph::Asked.of(place, legacy_peers: @legacy_peers).filter_map do |name, (spec, kind)|
            next if kind == Graph::Kinds::PEER_OPTIONAL || elsewhere?(place, name)

            found = place.resolve(name)
            problem(place, found, name, spec) unless found && met?(place, found, name, spec, kind)
          end
        end

        # Whether the lockfile need not have it: a workspace, or a package bundled in the place's own archive.
        def elsewhere?(place, name)
          return @project.workspaces.key?(name) if place.root?

          place.data["bundleDependencies"] && !@project.workspaces.value?(place.path) &&
            Graph::Bundles.names(place).include?(name)
        end

        def problem(place, found, name, spec)
          wish = @overrides.wish(place, name, spec)
          there = found ? found.version || "one without a version" : "none"
          there += " in #{found.path}" if found && found.path != "node_modules/#{name}"
          Problem.new("#{name}@#{wish} (#{wish == spec ? file(place) : "overrides in package.json"})",
                      "the lockfile has #{there}")
        end

        # Overrides must not change what package.json itself requires.
        def met?(place, found, name, spec, kind)
          return false if place.root? && @overrides.wish(place, name, spec) != spec

          peer = kind == Graph::Kinds::PEER && !place.folder?
          return false if peer && found.parent.equal?(place)

          @overrides.met?(place, found, name, spec) || (peer && @peers.stays?(place, found, spec))
        end

        def file(place) = [*(place.path unless place.root?), Project::PACKAGE].join("/")

        # Each has its link.
        def workspaces
          root = @lockfile.root
          @project.workspaces.filter_map do |name, path|
            target = root.children&.[](name)&.target
            next if target&.path == path

            Problem.new("workspace #{name} in #{path}", "the lockfile has #{target ? target.path : "none"}")
          end
        end
      end
    end
  end
end
