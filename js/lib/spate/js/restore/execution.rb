# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # One restore of a Plan, under the project's lock. The thread that calls it decides; others fetch and unpack.
      #
      #   Look       what is in place already, and what must be refused: before anything is changed
      #   Placing    packages are fetched and placed
      #   Addresses    whether the registry has the addresses of the lockfile
      #   ReleaseAges  how long ago they were published
      #   Finish     links, bins, scripts, and the completion markers
      #   Notes      what prune and the next restore need to know, at each of these steps
      #   Parts      shared state
      class Execution
        autoload :Addresses, "spate/js/restore/execution/addresses"
        autoload :Finish, "spate/js/restore/execution/finish"
        autoload :Look, "spate/js/restore/execution/look"
        autoload :Notes, "spate/js/restore/execution/notes"
        autoload :Parts, "spate/js/restore/execution/parts"
        autoload :ReleaseAges, "spate/js/restore/execution/release_ages"
        autoload :Placing, "spate/js/restore/execution/placing"

        # surroundings, sources: of Record; nil to keep none. The block does what has time until others are at work.
        def initialize(context, plan, surroundings: nil, sources: nil, &later)
          @context = context
          @plan = plan
          @surroundings = surroundings
          @sources = sources
          @later = later
        end

        # Report.
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
          Finish.new(@parts, notes, look.placed, made, @placing).call { @whole = true }
        rescue Interrupted, ::Interrupt # in a script as well, whose work is half done
          @whole = false
          raise
        ensure
          Thread.handle_interrupt(::Interrupt => :never) { stop }
        end

        # Whether there is a node_modules; ones that will be made are recorded. Raises FolderError where one is a link.
        def existed?
          Place::Folders.refuse_link(@plan.root)
          found, absent = [".", *@plan.projects].uniq.partition { |folder| @parts.folders.check(folder) == :folder }
          absent.each { |folder| @parts.trash.made(File.join(@plan.root, folder, Place::Folders::MODULES)) }
          found.any?
        end

        def later
          @later&.call
          @later = nil
        end

        # All is as it was, unless the new packages are there.
        def stop
          return unless @parts

          @placing&.stop
          @parts.items.each(&:discard_tree)
          @parts.trash.put_back unless @whole
          @parts.trash.empty
        end
      end
    end
  end
end
