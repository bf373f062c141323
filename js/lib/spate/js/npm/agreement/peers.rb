# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Agreement
        # Decides about a peer of the wrong version. npm tries to place another version; where it cannot, it accepts the
        # one that is there, unless the project itself requires the other.
        class Peers
          PEERS = [Graph::Kinds::PEER, Graph::Kinds::PEER_OPTIONAL].freeze

          # lockfile: connected by Graph. strict: accept none. force: accept all.
          def initialize(lockfile, strict: false, force: false)
            @lockfile = lockfile
            @strict = strict
            @force = force
          end

          # Whether npm leaves it. Raises LeftToTool where the registry decides.
          def stays?(place, found, spec)
            return false if !@force && (@strict || mine?(place))
            return true if found.parent.equal?(beside(place, found.name)) && !replaceable?(found, spec)

            raise LeftToTool, "#{place.path} asks for #{found.name}@#{spec}, and the lockfile has #{found.version}"
          end

          private

          # Whether the project asks for it, or for what has it for a peer.
          def mine?(place, seen = {}.compare_by_identity)
            return false if seen.key?(place)

            seen[place] = true
            askers(place).any? do |from, kind|
              from.root? || @lockfile.workspaces.include?(from.path) || (PEERS.include?(kind) && mine?(from, seen))
            end
          end

          def askers(place)
            Graph::OptionalSet.connect(@lockfile.places)
            Graph::OptionalSet.pairs(place.dependents)
          end

          # Where npm would place another version: beside the dependent, or above dependents that have it as a peer.
          def beside(place, name)
            place = place.above
            place = place.above while place && !place.folder? && place.data["peerDependencies"]&.key?(name)
            place
          end

          # Whether one version may be what all ask for.
          def replaceable?(found, spec)
            Semver.meet?([spec, *askers(found).filter_map { |from, _| Graph::Asked.of(from)[found.name]&.first }])
          end
        end
      end
    end
  end
end
