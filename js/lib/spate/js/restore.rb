# frozen_string_literal: true

module Spate
  module JS
    # Creates node_modules from a Plan.
    #
    #   Supply ─────► Place::Trees ──► Place::Entries ──► scripts ──► state files ──► Record
    #   fetch,        renamed          links, bins                                    "nothing to do",
    #   unpack        or linked                                                       next time
    #
    # The completion markers (the tool's state files, the Record) are removed first and written last. If a restore is
    # killed, the next one checks the whole node_modules.
    module Restore
      %i[ArchiveError ChecksumError FolderError NotLocalError ReleaseAgeError].each do |name|
        autoload name, "spate/js/restore/errors"
      end
      autoload :Check, "spate/js/restore/check"
      autoload :Context, "spate/js/restore/context"
      %i[Execution LeftOut Queue].each { |name| autoload name, "spate/js/restore/execution" }
      autoload :Memory, "spate/js/restore/memory"
      autoload :Place, "spate/js/restore/place"
      autoload :Repeat, "spate/js/restore/repeat"
      autoload :Run, "spate/js/restore/run"
      autoload :Supply, "spate/js/restore/supply"
      autoload :Wanted, "spate/js/restore/wanted"

      # The result of one restore. Counts are numbers of packages in node_modules; several of them may have the same
      # archive. seconds are wall time; fetched_bytes are the bytes of archives from the network.
      class Report
        # tool:: "npm", "pnpm" or the tool that did the restore
        # total:: number of packages; for --json nil if the project's own tool restored them
        # fetched, from_store:: number of archives from the network, and of those that were in the store
        # linked:: packages put into place; reused:: packages that were already in place
        # built, build_reused:: packages whose scripts ran, and those whose results came from the store
        # pending:: keys of packages whose scripts were not allowed to run
        # told:: keys in `pending` that a warning listed
        # skipped:: { key of an optional package => reason (String) }
        # removed:: paths that did not belong to the plan
        # handed_over:: why the project's own tool did the restore (String), or nil
        attr_accessor :tool, :total, :fetched, :fetched_bytes, :from_store, :linked, :reused, :built, :build_reused,
                      :pending, :warned_of, :skipped, :removed, :warnings, :seconds, :handed_over, :root
        attr_writer :noop

        def initialize
          @total = @fetched = @fetched_bytes = @from_store = @linked = @reused = @built = @build_reused = 0
          @seconds = 0.0
          @pending = []
          @warned_of = []
          @skipped = {}
          @removed = []
          @warnings = []
        end

        # Whether nothing was created or removed.
        def noop? = !!@noop

        def to_h
          { tool: tool, root: root, total: (total unless handed_over), fetched: fetched, fetched_bytes: fetched_bytes,
            from_store: from_store, linked: linked, reused: reused, built: built, builds_reused: build_reused,
            pending: pending, skipped: skipped, removed: removed, warnings: warnings, handed_over: handed_over,
            noop: noop?, seconds: seconds.round(3) }
        end
      end
    end
  end
end
