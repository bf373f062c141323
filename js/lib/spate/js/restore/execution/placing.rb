# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Fetches packages and places each as soon as it is in the store. An existing node_modules is not changed before
        # all new packages are in the store.
        class Placing
          # look: a Look after #call. later: callable that is called while other threads work.
          def initialize(parts, notes, look, later)
            @parts = parts
            @notes = notes
            @items = parts.items
            @lacking = look.lacking
            @placed = look.placed
            @later = later
            @trees = Place::Trees.new(parts.context, @items, parts.folders, parts.trash)
            @acquisition = Supply::Acquisition.new(parts.context, parts.packages) { |item| renamed?(item) }
          end

          # Returns the links and bins that were already created: { path => Symlink or TextFile }, or nil.
          def call
            expect
            queue = Queue.new(@parts.plan.trees, @placed, @items)
            @acquisition.add(@lacking)
            @later.call if @lacking.any?
            check_policies
            receive(queue) until queue.supplied? || !@parts.existed
            @notes.begin
            @trees.clear(queue.waiting.reject { |tree| @parts.shared?(tree) })
            step(queue) until queue.done?
            count
            @made
          end

          # Fetches Items whose files are missing from the store.
          def acquire(lost)
            queue = Queue.new(lost.flat_map(&:trees), [], @items)
            @acquisition.add(lost)
            receive(queue) until queue.supplied?
            count
          end

          # Ends all work of other threads.
          def stop = @acquisition.stop

          private

          # Checks addresses and ages while packages are downloaded.
          def check_policies
            addressed = @parts.plan.unconfirmed.to_a
            Addresses.new(@parts.context, addressed).check if addressed.any?
            wanted = @parts.plan.release_age
            ReleaseAges.new(@parts.context, @parts.plan, wanted).check if wanted
          end

          def step(queue)
            ready = queue.ready
            return receive(queue) if ready.empty?

            shared, own = ready.partition { |tree| @parts.shared?(tree) }
            queue.placed(shared)
            @trees.copy(own.select { |tree| @parts.runs?(tree) }.map(&:path))
            again(queue, beside { @trees.call(own) }, own)
          end

          # Whether an archive is unpacked into a folder that is then renamed into place.
          def renamed?(item) = item.trees.one? && !@parts.shared?(item.trees.first) && @parts.context.trees?

          def receive(queue)
            result = @acquisition.next
            while result
              item, error = result
              error ? failed(queue, item, error) : fetched(queue, item)
              result = @acquisition.next?
            end
          end

          def fetched(queue, item)
            queue.stored(item)
            @supplied[item] = item.bytes
          end

          # The block places trees. If node_modules is new and all facts are known, computes links and bins at the same
          # time, and creates them once their folders exist.
          def beside(&)
            return yield if @parts.existed || @lacking.any? || @parts.slots.any? || @made ||
                            !(wanted = @parts.wanted([])).computable_early?

            Place::Meanwhile.call(-> { (@made = wanted.call).then { @later.call } }, &)
                            .tap { @parts.place_entries(@made) }
          end

          # Fetches Items whose files are missing from the store. If packages are still missing afterwards, the links
          # change.
          def again(queue, lost, ready)
            @parts.existed ||= !@made.nil? if lost.any?
            @made = nil if lost.any?
            queue.placed(ready.select { |tree| @items.of(tree).stored? })
            @acquisition.add(lost)
          end

          # Skips an optional package on any error except a wrong checksum.
          def failed(queue, item, error)
            raise error if !item.optional? || error.is_a?(ChecksumError) || !error.is_a?(Spate::Error) ||
                           error.is_a?(Store::Error) || error.is_a?(Interrupted)

            item.trees.each { |tree| @parts.report.skipped[tree.key] = error.message }
            @parts.outcome.skipped.concat(item.trees.map(&:key))
            queue.drop(item)
          end

          # { needed item => bytes of its archive, or nil if the store has it }
          def expect
            placed = @placed.to_h { |tree| [tree.path, true] }
            found = @items.select { |item| item.stored? && !item.trees.all? { |tree| placed[tree.path] } }
            @supplied = found.to_h { |item| [item, nil] }.compare_by_identity
          end

          # An item that was in the store, but whose files were missing, counts as fetched from the network.
          def count
            fetched = @supplied.each_value.filter_map(&:itself)
            @parts.report.fetched = fetched.size
            @parts.report.fetched_bytes = fetched.sum
            @parts.report.from_store = @supplied.size - fetched.size
          end
        end
      end
    end
  end
end
