# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # One restore of a Plan, under the project's lock. The calling thread makes all decisions; other threads fetch and
      # unpack.
      #
      #   Look       finds what is already in place, and raises errors before anything is changed
      #   Placing    fetches and places packages
      #   Addresses    checks that the registry has the addresses of the lockfile
      #   ReleaseAges  checks how long ago the packages were published
      #   Finish     creates links and bins, runs scripts, and writes the completion markers
      #   Notes      writes records for prune and the next restore, at each of these steps
      #   Parts      objects shared by these steps
      class Execution
        %i[Addresses ReleaseAges].each { |name| autoload name, "spate/js/restore/execution/release_ages" }
        autoload :Finish, "spate/js/restore/execution/finish"
        %i[Look Notes].each { |name| autoload name, "spate/js/restore/execution/look" }
        autoload :Placing, "spate/js/restore/execution/placing"

        # surroundings, sources: see Memory::Record; nil to store no record. kept: the KeptPlan with which an Image of
        # the result is stored, or nil. The block does work that can wait until other threads are busy.
        def initialize(context, plan, surroundings: nil, sources: nil, kept: nil, &later)
          @context = context
          @plan = plan
          @surroundings = surroundings
          @sources = sources
          @kept = kept
          @later = later
        end

        # Returns a Report.
        def call
          started = Util.now
          @context.store.lock("store", shared: true) { restore }
          @parts.report.tap { |report| report.seconds = Util.now - started }
        end

        private

        def restore
          @parts = Parts.new(@context, @plan)
          notes = Notes.new(@parts, @surroundings, @sources)
          look = Look.new(@parts).tap(&:call)
          @parts.existed = existed?
          @parts.scripts.first
          @placing = Placing.new(@parts, notes, look, method(:later))
          made = @placing.call
          later
          entries, record = Finish.new(@parts, notes, look.placed, made, @placing).call { @whole = true }
          Memory::Draft.new(@parts, entries, record).save(@kept) if @kept && record
        rescue Interrupted, ::Interrupt # also if a script is interrupted
          @whole = false
          raise
        ensure
          Thread.handle_interrupt(::Interrupt => :never) { stop }
        end

        # Whether there is a node_modules folder. Registers missing ones as created by this restore. Raises FolderError
        # if one is a link.
        def existed?
          Place::Folders.refuse_link(@plan.root)
          found, absent = [".", *@plan.projects].uniq.partition { |folder| @parts.folders.check(folder) == :folder }
          absent.each { |folder| @parts.trash.made_folder(File.join(@plan.root, folder, Place::Folders::MODULES)) }
          found.any?
        end

        def later
          @later&.call
          @later = nil
        end

        # Unless all new packages are in place, undoes all changes.
        def stop
          return unless @parts

          @placing&.stop
          @parts.items.each(&:discard_tree)
          @parts.trash.put_back unless @whole
          @parts.trash.empty
        end

        # Objects shared by the steps of one restore.
        class Parts
          attr_reader :context, :plan, :store, :report, :outcome, :items, :left_out, :packages, :trash, :folders,
                      :slots, :scripts
          # Whether there was a node_modules before.
          attr_accessor :existed

          def initialize(context, plan)
            @context = context
            @plan = plan
            @store = context.store
            @report = Report.new
            @outcome = Outcome.new(root: plan.root, store_root: @store.root)
            @items = Supply::Items.new(plan)
            @packages = Supply::Packages.new(context)
            @scripts = Scripts::Session.new(plan, @outcome, context.configuration, context) do |tree|
              @packages.vouch?(@items.of(tree), tree)
            end
            context.share_nothing if @scripts.own? && !Scripts.part?
            make_places
          end

          # Whether a tree is in a global virtual store.
          def shared?(tree) = tree.path.start_with?("/")

          # Whether scripts will write into the tree. If so, its files must not be shared.
          def runs?(tree)
            return false unless @items.of(tree).facts.builds? && !@context.options.ignore_scripts

            @policy ||= Scripts::Policy.of(@plan, @context.configuration)
            @policy.decide(tree).first
          end

          # [Tree] that are installed.
          def present = @left_out.others

          # The Wanted for the facts known so far. ran: see Wanted.
          def wanted(ran = @scripts.scripted)
            @outcome.facts = present.to_h { |tree| [tree.path, @items.of(tree).facts] }
            Wanted.new(@plan, @outcome.facts, @left_out.trees, @context, ran)
          end

          # entries: { path => Symlink or TextFile }
          def place_entries(entries) = Place::Entries.new(@context, @folders, @trash).call(entries)

          private

          def make_places
            @left_out = LeftOut.new(@plan, @items, @outcome)
            @trash = Place::Trash.new(@store, @plan.root)
            @folders = Place::Folders.new(@plan.root, @trash)
            @slots = Place::Slots.new(@context, @plan, @items, @trash)
          end
        end
      end

      # Trees of a plan that are not installed: optional packages that failed to install or build, and trees that the
      # tool removes together with them.
      class LeftOut
        def initialize(plan, items, outcome)
          @plan = plan
          @items = items
          @outcome = outcome
        end

        # [Tree]
        def trees = found.trees
        # [Tree] that are installed.
        def others = found.others
        # [Tree] of #trees that are in the store or were in place.
        def gone = found.gone

        private

        Seen = Struct.new(:skipped, :trees, :others, :gone)
        private_constant :Seen

        # Recomputes the result if more packages have failed.
        def found
          @seen = search if @seen.nil? || @seen.skipped != @outcome.skipped.size
          @seen
        end

        def search
          paths = @plan.goes_with(@outcome.skipped).to_h { |path| [path, true] }
          gone, rest = @plan.trees.partition { |tree| paths[tree.path] }
          others, lacking = rest.partition { |tree| @items.of(tree).stored? }
          Seen.new(@outcome.skipped.size, gone + lacking, others, gone)
        end
      end

      # Trees that wait until their package is in the store. Each tree is returned once.
      class Queue
        # trees: all trees of the plan; placed: trees that are already in place.
        def initialize(trees, placed, items)
          placed = placed.to_h { |tree| [tree.path, true] }
          @waiting = trees.reject { |tree| placed[tree.path] }.to_h { |tree| [tree.path, tree] }
          @ready = @waiting.values.select { |tree| items.of(tree).stored? }
        end

        def done? = @waiting.empty?
        # Whether all waiting trees can be placed.
        def supplied? = @ready.size == @waiting.size
        # Waiting trees.
        def waiting = @waiting.values
        # Trees that can be placed now.
        def ready = @ready.tap { @ready = [] }
        # Call this when an item's package is in the store, for the first time or again.
        def stored(item) = @ready.concat(item.trees.select { |tree| @waiting.key?(tree.path) })
        def placed(trees) = trees.each { |tree| @waiting.delete(tree.path) }
        # Removes the trees of an item.
        def drop(item) = placed(item.trees)
      end
    end
  end
end
