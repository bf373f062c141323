# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # One restore of a Plan, under the project's lock. The thread that calls it decides; others fetch and unpack.
      class Work
        # What package managers keep about what they did.
        STATE = "node_modules/{.package-lock.json,.modules.yaml,.pnpm/lock.yaml,.pnpm-workspace-state*.json}"

        # surroundings, sources: of Record; nil to keep none. The block does what has time until others are at work.
        def initialize(context, plan, surroundings: nil, sources: nil, &later)
          @context = context
          @plan = plan
          @store = context.store
          @surroundings = surroundings
          @sources = sources
          @later = later
          @report = Report.new
          @outcome = Outcome.new(root: plan.root, store_root: @store.root)
          @supplied = {}.compare_by_identity # item => bytes of its archive, nil where the store had it
        end

        # Report.
        def call
          started = clock
          @store.lock("store", shared: true) { restore }
          @report.seconds = clock - started
          @report
        end

        private

        def restore
          look
          place
          finish
        ensure
          Thread.handle_interrupt(::Interrupt => :never) { stop }
        end

        # Whoever had packages has them again, unless the new ones are there.
        def stop
          @acquisition&.stop
          @items&.each(&:discard_tree)
          @trash&.put_back if @existed && !@whole
          @trash&.empty
        end

        # ---- before anything is changed ----

        def look
          @context.share_nothing if scripts.own?
          @items = Supply::Items.new(@plan)
          @left_out = LeftOut.new(@plan, @items, @outcome)
          @packages = Supply::Packages.new(@context)
          @trash = Place::Trash.new(@store, @plan.root)
          @folders = Place::Folders.new(@plan.root, @trash)
          @trees = Place::Trees.new(@context, @items, @folders, @trash)
          @lacking = @packages.lacking(@items)
          @slots = Place::Slots.new(@context, @plan, @items, @trash)
          @placed = Place::InPlace.new(@context, @plan, @items, @folders, written: scripts.own?).call
          @placed += @slots.complete if @slots.any?
          refuse
          warn
          count
        end

        # What nothing vouches for, or not enough.
        def warn
          weak = @lacking.select { |item| item.integrity&.weak? }
          none = @lacking.select { |item| item.integrity.nil? && !item.package.file? }
          tell("only an SHA-1 vouches for #{named(weak)}", "a newer lockfile has SHA-512") if weak.any?
          tell("nothing vouches for #{named(none)}: the lockfile has no integrity of it", nil) if none.any?
        end

        def named(items) = items.map(&:full_name).sort.then { |names| NotLocalError.list(names) }

        def tell(message, hint)
          @report.warnings << message
          @context.events.emit(:warning, message: message, hint: hint)
        end

        # Before anything is touched.
        def refuse
          raise Store::ReadOnly.at(@store.root) if @lacking.any? && !@store.writable?

          absent = @lacking.reject { |item| item.package.file? || item.optional? || @packages.base?(item) }
          raise NotLocalError, absent.map(&:full_name) if @context.options.local && absent.any?
        end

        def count
          @report.tool = @plan.tool
          @report.root = @plan.root
          @report.total = @plan.trees.size
          @report.reused = @placed.size
          placed = {}.compare_by_identity
          @placed.each { |tree| placed[tree] = true }
          @items.each { |item| @supplied[item] = nil if item.stored? && !item.trees.all? { |tree| placed[tree] } }
          @context.events.emit(:js_plan, total: @plan.trees.size, fetch: @lacking.sum { |item| item.trees.size })
        end

        # ---- changes ----

        # What says that all is in place goes first. What will be there is told at once, so that prune leaves it alone,
        # and the next restore knows it after a kill.
        def begin_changes
          Memory::Record.forget(@store, @plan.root)
          forget_state if @existed
          @outcome.builds = Memory::Places.builds(@context, @plan.root)
          note_places
        end

        # Once for the same.
        def note_places(built = [])
          noted = [built, @outcome.builds, @slots.used, @items.map(&:key)].map(&:dup)
          return if noted == @noted

          @noted = noted
          saved = Memory::Places.save(@context, @plan, @items, built: built, builds: @outcome.builds,
                                                               slots: @slots.used)
          # Prune would take what nobody names.
          raise Store::ReadOnly.at(@store.root) if @slots.any? && !saved
        end

        # Only what is in folders of the project's own: what a link leads to is another's.
        def forget_state
          Dir.glob(STATE, base: @plan.root).each do |path|
            @trash.take(@context.path(path)) if @folders.real?(File.dirname(path))
          end
        end

        def place
          @existed = existed?
          scripts.first
          @acquisition = Supply::Acquisition.new(@context, @packages) { |item| renamed?(item) }
          queue = Queue.new(@plan.trees, @placed, @items)
          @acquisition.add(@lacking)
          later if @lacking.any?
          receive(queue) until queue.supplied? || !@existed # nothing goes before what comes for it is there
          begin_changes
          @trees.clear(queue.waiting.reject { |tree| shared?(tree) })
          until queue.done?
            ready = queue.ready
            next receive(queue) if ready.empty?

            shared, own = ready.partition { |tree| shared?(tree) }
            queue.placed(shared)
            @trees.copy(own.select { |tree| runs?(tree) }.map(&:path))
            again(queue, beside { @trees.call(own) }, own)
          end
        end

        def later
          @later&.call
          @later = nil
        end

        # Whether there is a node_modules. Raises FolderError where one is a link.
        def existed?
          found = Place::Folders.refuse_link(@plan.root)
          @plan.projects.map { |folder| @folders.check(folder) }.include?(:folder) || found
        end

        # Whether an archive is unpacked into a folder that is renamed into place.
        def renamed?(item) = item.trees.one? && !shared?(item.trees.first) && @context.trees?

        # Whether a tree is one of a global virtual store.
        def shared?(tree) = tree.path.start_with?("/")

        # Scripts will write into such a tree, so it shares nothing.
        def runs?(tree)
          return false unless @items.of(tree).facts.builds? && !@context.options.ignore_scripts

          @policy ||= Scripts::Policy.of(@plan, @context.configuration)
          @policy.decide(tree).first
        end

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

        # The block places trees. Where nothing is in the way, and all facts are known, it is found out meanwhile which
        # links and bins there are to be; they come when their folders are there.
        def beside(&)
          return yield if @existed || @lacking.any? || @slots.any? || @made || !(wanted = self.wanted).apart?

          Place::Meanwhile.call(-> { (@made = wanted.call).then { later } }, &).tap { place_entries(@made) }
        end

        # What the store lost is fetched anew; who then lacks it decides about links, too.
        def again(queue, lost, ready)
          @existed ||= !@made.nil? if lost.any?
          @made = nil if lost.any?
          queue.placed(ready.select { |tree| @items.of(tree).stored? })
          @acquisition.add(lost)
        end

        # An optional package is done without, whatever is the matter with it but its checksum.
        def failed(queue, item, error)
          raise error if !item.optional? || error.is_a?(ChecksumError) || !error.is_a?(Spate::Error) ||
                         error.is_a?(Store::Error) || error.is_a?(Interrupted)

          item.trees.each { |tree| @report.skipped[tree.key] = error.message }
          @outcome.skipped.concat(item.trees.map(&:key))
          queue.drop(item)
        end

        # ---- when all packages are there ----

        def finish
          later
          count_supplied
          take_away
          @report.linked = [present.size - @placed.size, 0].max
          entries = @made || make_slots(wanted.call)
          @report.removed = remove_strays(entries)
          place_entries(entries) unless @made
          @plan.folders&.each { |path| @folders.fill(path) }
          @plan.projects.each { |folder| @folders.drop_empty(folder) } if @existed
          @whole = true
          run_scripts { entries = link_again(entries) }
          entries = take_away(entries)
          state = @plan.state ? @plan.state.files(@outcome) : {}
          write_state(state) { entries = link_again(entries) if scripts.last && @plan.tool == "pnpm" }
          remember(entries, state)
        end

        # One that the store had and lost is from the network.
        def count_supplied
          fetched = @supplied.each_value.filter_map(&:itself)
          @report.fetched = fetched.size
          @report.fetched_bytes = fetched.sum
          @report.from_store = @supplied.size - fetched.size
        end

        # Answers the entries of the project's own.
        def make_slots(entries)
          return entries unless @slots.any?

          placed = @placed.to_h { |tree| [tree.path, true] }
          shared, own = entries.partition { |path, _| path.start_with?("/") }
          trees = present.select { |tree| shared?(tree) }
          @slots.call(trees, trees.select { |tree| placed[tree.path] }, shared.to_h)
          own.to_h
        end

        # What goes with optional packages that could not be had or built; npm makes the folders that they lie in.
        # entries: that are in place. Answers those that stay.
        def take_away(entries = {})
          gone = @left_out.gone.each { |tree| @folders.make(tree.path) if @plan.tool == "npm" }
          gone.each { |tree| @trash.take(@context.path(tree.path)) }
          return entries if gone.empty? || entries.empty?

          left = entries.slice(*wanted.call.keys)
          (entries.keys - left.keys).each { |path| @trash.take(@context.path(path)) }
          left
        end

        def wanted
          @outcome.facts = present.to_h { |tree| [tree.path, @items.of(tree).facts] }
          Wanted.new(@plan, @outcome.facts, @left_out.trees, @context)
        end

        def present = @left_out.others

        def remove_strays(entries)
          return [] unless @existed

          paths = Place::Strays.new(@plan, entries.keys) { |tree| bundled(tree) }.call
          paths.each { |path| @trash.take(@context.path(path)) }
        end

        # Names in the node_modules that a package's archive has.
        def bundled(path)
          @by_path ||= @plan.trees.to_h { |tree| [tree.path, @items.of(tree)] }
          @by_path[path].bundled
        end

        # Whoever is killed in a script leaves a folder that the next restore makes anew.
        def run_scripts(&)
          about = present.select { |tree| runs?(tree) }.map(&:key)
          note_places(about) if about.any?
          count = scripts.call(Place::Anew.new(@context, @items, @placed), &)
          @report.built = count.ran
          @report.build_reused = count.reused
          @report.pending = @outcome.pending
        end

        # Executables may lead to what scripts of the project itself have made.
        def link_again(entries)
          now = wanted.call.reject { |path, entry| path.start_with?("/") || entries[path] == entry }
          place_entries(now)
          entries.merge(now)
        end

        def scripts
          @scripts ||= Scripts::Session.new(@plan, @outcome, @context.configuration, @context) do |tree|
            @packages.vouch?(@items.of(tree), tree)
          end
        end

        # Yields between what tells of packages and what tells that all is done.
        def write_state(state)
          last = @plan.state.respond_to?(:last) ? @plan.state.last : []
          write(state.except(*last))
          yield
          write(state.slice(*last))
        end

        def write(files) = place_entries(files.transform_values { |text| TextFile.new(text) })
        def place_entries(entries) = Place::Entries.new(@context, @folders, @trash).call(entries)

        def remember(entries, state)
          note_places(@outcome.built)
          return unless @surroundings && @sources

          names = Memory::Names.new(present, entries.keys, state.keys)
          Memory::Record.new(@plan.root, surroundings: @surroundings, sources: @sources, names: names.to_s,
                                         watched: names.watched,
                                         summary: summary).save(@store)
        end

        def summary = { "tool" => @plan.tool, "total" => present.size, "own" => ("runs" if scripts.own?) }.compact

        def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
