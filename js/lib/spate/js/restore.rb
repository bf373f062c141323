# frozen_string_literal: true

module Spate
  module JS
    # From a Plan to node_modules.
    #
    #   Supply ─────► Place::Trees ──► Place::Entries ──► scripts ──► state files ──► Record
    #   fetch,        renamed          links, bins                                    "nothing to do",
    #   unpack        or linked                                                       next time
    #
    # The completion markers (the tool's state files, the Record) are removed first and written last, so that after a
    # kill in between the next restore checks the whole node_modules.
    module Restore
      autoload :ArchiveError, "spate/js/restore/errors"
      autoload :Check, "spate/js/restore/check"
      autoload :ChecksumError, "spate/js/restore/errors"
      autoload :Context, "spate/js/restore/context"
      autoload :FolderError, "spate/js/restore/errors"
      autoload :LeftOut, "spate/js/restore/left_out"
      autoload :Memory, "spate/js/restore/memory"
      autoload :NotLocalError, "spate/js/restore/errors"
      autoload :Place, "spate/js/restore/place"
      autoload :Queue, "spate/js/restore/queue"
      autoload :ReleaseAgeError, "spate/js/restore/errors"
      autoload :Report, "spate/js/restore/report"
      autoload :Run, "spate/js/restore/run"
      autoload :Supply, "spate/js/restore/supply"
      autoload :Wanted, "spate/js/restore/wanted"
      autoload :Execution, "spate/js/restore/execution"

      # Restores an existing Plan. client: responds to fetch(package, to:) -> Result, which has bytes. surroundings: of
      # Record, nil to write none. Returns a Report.
      def self.of_plan(plan, store:, client:, configuration: nil, env: ENV, events: Events.new, options: Options.new,
                       surroundings: nil)
        context = Context.new(root: plan.root, env: env, store: store, events: events, options: options,
                              configuration: configuration, client: client)
        sources = Memory::Sources.of(plan, Reading.new, Memory::Sources.clock, store, env.to_h) if surroundings
        FolderError.guard(plan.root) do
          Install::BundleFolder.lock(plan.root, events) do
            Execution.new(context, plan, surroundings: surroundings, sources: sources).call
          end
        end
      end
    end
  end
end
