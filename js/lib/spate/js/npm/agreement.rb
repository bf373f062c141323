# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Checks that the lockfile satisfies all dependencies of the package.json files and of its own entries, as `npm
      # ci` requires. npm would have to fetch anything missing from the registry.
      class Agreement
        autoload :Overrides, "spate/js/npm/agreement/overrides"

        # A dependency that the lockfile does not satisfy. asked: "a@^2.0.0 (package.json)". found: text for the user.
        Problem = Struct.new(:asked, :found) do
          def to_s = "#{asked}: #{found}"
        end

        # Raises DisagreementError, LeftToTool. lockfile: connected by Graph. legacy_peers: ignore peer dependencies.
        # strict_peers, force: how to treat a peer of the wrong version.
        def self.check(lockfile, project, legacy_peers: false, **peers)
          problems = new(lockfile, project, legacy_peers, **peers).problems
          return if problems.empty?

          raise DisagreementError.new(
            "#{lockfile.path} does not satisfy package.json: #{problems.first}",
            details: problems.drop(1).map(&:to_s),
            hint: "run `npm install` to update the lockfile, and commit it"
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
        def problems = places_to_check.flat_map { |place| unmet_dependencies(place) } + workspaces

        private

        # The places that npm checks: everything that the root needs without following links, and the folders that the
        # root reaches through links.
        def places_to_check
          found = places_reached(@lockfile.root) { |place| needed(place).reject(&:target) }
          folders = places_reached(@lockfile.root) { |place| needed(place).filter_map(&:target).reject(&:outside?) }
          found.merge(folders).keys
        end

        def needed(place) = place.edges ? place.edges.grep(Graph::Place) : []

        # { Place => true } for all places that the block leads to.
        def places_reached(place)
          found = {}.compare_by_identity
          queue = [place]
          while (place = queue.pop)
            next if found.key?(place)

            found[place] = true
            queue.concat(yield(place))
          end
          found
        end

        def unmet_dependencies(place)
          Graph::Asked.of(place, legacy_peers: @legacy_peers).filter_map do |name, (spec, kind)|
            next if kind == Graph::Kinds::PEER_OPTIONAL || may_be_missing?(place, name)

            found = place.resolve(name)
            problem(place, found, name, spec) unless found && met?(place, found, name, spec, kind)
          end
        end

        # Whether the lockfile may lack the dependency: a workspace, or a package bundled in the place's own archive.
        def may_be_missing?(place, name)
          return @project.workspaces.key?(name) if place.root?

          place.data["bundleDependencies"] && !@project.workspaces.value?(place.path) &&
            Graph::Bundles.names(place).include?(name)
        end

        def problem(place, found, name, spec)
          wanted = @overrides.effective_spec(place, name, spec)
          there = found ? found.version || "one without a version" : "none"
          there += " in #{found.path}" if found && found.path != "node_modules/#{name}"
          Problem.new("#{name}@#{wanted} (#{wanted == spec ? file(place) : "overrides in package.json"})",
                      "the lockfile has #{there}")
        end

        # Overrides must not change direct dependencies of package.json.
        def met?(place, found, name, spec, kind)
          return false if place.root? && @overrides.effective_spec(place, name, spec) != spec

          peer = kind == Graph::Kinds::PEER && !place.folder?
          return false if peer && found.parent.equal?(place)

          @overrides.met?(place, found, name, spec) || (peer && @peers.npm_keeps?(place, found, spec))
        end

        def file(place) = [*(place.path unless place.root?), Project::PACKAGE].join("/")

        # Checks that each workspace has its link.
        def workspaces
          root = @lockfile.root
          @project.workspaces.filter_map do |name, path|
            target = root.children&.[](name)&.target
            next if target&.path == path

            Problem.new("workspace #{name} in #{path}", "the lockfile has #{target ? target.path : "none"}")
          end
        end

        # Decides whether a peer dependency of the wrong version is accepted. npm tries to place a different version.
        # If it cannot, it accepts the existing version, unless the project itself depends on the other one.
        class Peers
          PEERS = [Graph::Kinds::PEER, Graph::Kinds::PEER_OPTIONAL].freeze

          # lockfile: connected by Graph. strict: accept no wrong version. force: accept all.
          def initialize(lockfile, strict: false, force: false)
            @lockfile = lockfile
            @strict = strict
            @force = force
          end

          # Whether npm keeps the existing version. Raises LeftToTool if the answer depends on the registry.
          def npm_keeps?(place, found, spec)
            return false if !@force && (@strict || of_root?(place))
            return true if found.parent.equal?(beside(place, found.name)) && !replaceable?(found, spec)

            raise LeftToTool, "#{place.path} requires #{found.name}@#{spec}, but the lockfile has #{found.version}"
          end

          private

          # Whether the project depends on the place, directly or through packages that have it as a peer dependency.
          def of_root?(place, seen = {}.compare_by_identity)
            return false if seen.key?(place)

            seen[place] = true
            dependents(place).any? do |from, kind|
              from.root? || @lockfile.workspaces.include?(from.path) || (PEERS.include?(kind) && of_root?(from, seen))
            end
          end

          def dependents(place)
            Graph::OptionalSet.connect(@lockfile.places)
            Graph::OptionalSet.pairs(place.dependents)
          end

          # Where npm would place a different version: beside the dependent, or above dependents that have it as a peer.
          def beside(place, name)
            place = place.above
            place = place.above while place && !place.folder? && place.data["peerDependencies"]&.key?(name)
            place
          end

          # Whether a single version may satisfy all dependents.
          def replaceable?(found, spec)
            Semver.meet?([spec, *dependents(found).filter_map { |from, _| Graph::Asked.of(from)[found.name]&.first }])
          end
        end

        # The spec of a dependency: a range, a tag, an alias, a folder, an archive.
        #
        # https://docs.npmjs.com/cli/using-npm/package-spec
        class Spec
          ALIAS = %r{\Anpm:(?:@[^/@]+/)?[^/@]+(?:@(.*))?\z}
          FOLDER = %r{\A(?:file:|link:|\.{1,2}(?:/|\z)|/|~/)}
          # A stand-in for the root, deep enough that no path leads out of it.
          SOMEWHERE = ("/root" * 40).freeze
          # Dist-tags, which only the registry resolves: "latest", "next".
          TAG = /\A[a-zA-Z][\w.-]*\z/

          # Fast path for most specs and versions: a lockfile has thousands.
          USUAL = /\A(\d{1,9})\.(\d{1,9})\.(\d{1,9})\z/

          def initialize(text)
            @text = text.strip
            @operator = @text[/\A[\^~]?/]
            @numbers = numbers(@text.delete_prefix(@operator))
          end

          # Whether a place satisfies the spec. from: the Place that depends on it.
          def met?(place, from)
            usual = @numbers && known(place.version)
            return usual unless usual.nil?

            case @text
            when ALIAS then Spec.new($1 || "*").met?(place, from)
            when FOLDER then folder?(place, from)
            when %r{\Ahttps?://} then git? || place.entry["resolved"] == @text
            else version?(place)
            end
          end

          private

          # The origin of an archive is checked elsewhere.
          def git? = Source::GIT.match?(@text)

          def version?(place)
            return true if ["", "*"].include?(@text) || git? || @text.match?(%r{\A[^@/\s]+/[^@/\s]+\z})
            return TAG.match?(@text) unless range

            version = Semver::Version.parse(place.version, loose: true)
            !version.nil? && range.include?(version)
          end

          def range = @range ||= Semver::Range.parse(@text, loose: true)

          def numbers(text)
            text.split(".").map(&:to_i) if USUAL.match?(text)
          end

          # Parses each version only once; nil for an unusual one.
          def known(version)
            @known ||= {}
            @known.fetch(version) { @known[version] = (found = numbers(version.to_s)) && usual?(found) }
          end

          # Compares the numbers that the operator does not let change: for "~" major and minor; for "^" all numbers up
          # to the first that is not 0.
          def usual?(found)
            return found == @numbers if @operator == ""

            kept = @operator == "~" ? 2 : (@numbers.index(&:positive?) || 2) + 1
            found.first(kept) == @numbers.first(kept) && (found <=> @numbers) >= 0
          end

          def folder?(place, from)
            path = File.expand_path(@text.sub(/\A(?:file|link):/, ""), File.join(SOMEWHERE, from.path))
            return File.expand_path(place.target.path, SOMEWHERE) == path if place.target

            resolved = place.entry["resolved"].to_s
            resolved.start_with?("file:") && File.expand_path(resolved.delete_prefix("file:"), SOMEWHERE) == path
          end
        end
      end
    end
  end
end
