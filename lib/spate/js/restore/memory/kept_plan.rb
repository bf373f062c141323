# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # The plan of a project, kept for the next restore: where packages are to be put is known then without reading
        # the lockfile. It counts for the same surroundings, and while its Sources have the same content.
        #
        # It is a graph of objects, which Ruby alone reads back, and who writes such a text can make Ruby do anything.
        # So it is read only from where this user keeps things, and where nobody else can have written it.
        #
        #   spate-plan 2<TAB>lengths of the parts<LF>surroundings, sources, plan
        class KeptPlan
          HEADER = "spate-plan 2"
          KIND = "js-plans"

          # surroundings: of Surroundings.
          def initialize(store, root, surroundings, env = {})
            @store = store
            @env = env
            @key = Store.sha256(root)
            @root = root
            @surroundings = surroundings.b
          end

          # [Plan, Sources], or nil.
          def load
            surroundings, sources, plan = parts(text)
            return unless surroundings == @surroundings

            sources = Sources.parse(sources).renewed(@store, @env)
            found = Marshal.load(plan) if sources # rubocop:disable Security/MarshalLoad -- OwnFile
            [found, sources] if found.is_a?(Plan) && found.root == @root
          rescue ArgumentError, TypeError, NameError
            nil # of another version
          end

          # Answers false where it cannot be kept.
          def save(plan, sources)
            text = [@surroundings, sources.to_s, Marshal.dump(plan)]
            !@store.keeper.nil? &&
              @store.keeper.write(KIND, @key, "#{HEADER}\t#{text.map(&:bytesize).join(" ")}\n".b << text.join)
          rescue TypeError
            false
          end

          private

          def text
            path = @store.keeper && OwnFile.find(@store.keeper.path(KIND, @key))
            path && Store::Text.read(path)
          end

          def parts(text)
            text = text&.b
            head = text&.slice(/\A#{HEADER}\t[\d ]+\n/o) or return []
            at = head.bytesize
            head.split("\t").last.split.map { |length| text.byteslice(at, length.to_i).tap { at += length.to_i } }
          end
        end
      end
    end
  end
end
