# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # The plan of a project, kept for the next restore: where packages are to be put is known then without reading
        # the lockfile. It counts for the same surroundings, and while each file that it was made from has the same
        # content.
        #
        # It is a graph of objects, which Ruby alone reads back, and who writes such a text can make Ruby do anything.
        # So it is read only from where this user keeps things, and where nobody else can have written it.
        #
        #   spate-plan 1<TAB>lengths of the parts<LF>surroundings, inputs, plan
        class KeptPlan
          HEADER = "spate-plan 1"
          KIND = "js-plans"
          ABSENT = "-"

          # surroundings: of Surroundings.
          def initialize(store, root, surroundings)
            @store = store
            @key = Store.sha256(root)
            @root = root
            @surroundings = surroundings.b
          end

          # Plan, or nil.
          def load
            surroundings, inputs, plan = parts(text)
            return unless surroundings == @surroundings

            same = inputs.split("\0").each_slice(2).all? { |digest, path| digest == digest(path) }
            found = Marshal.load(plan) if same # rubocop:disable Security/MarshalLoad -- OwnFile
            found if found.is_a?(Plan) && found.root == @root
          rescue ArgumentError, TypeError, NameError
            nil # of another version
          end

          # Answers false where it cannot be kept. The plan's inputs must be at rest.
          def save(plan)
            inputs = plan.inputs.flat_map { |path| [digest(path), path] }.join("\0")
            text = [@surroundings, inputs.b, Marshal.dump(plan)]
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

          # A folder's is that of the names in it but what a restore makes.
          def digest(path)
            return Store.sha256(File.binread(path)).b unless File.directory?(path)

            Store.sha256((Dir.children(path) - [Places::MODULES]).sort.join("\0")).b
          rescue SystemCallError
            ABSENT
          end
        end
      end
    end
  end
end
