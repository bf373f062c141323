# frozen_string_literal: true

module Spate
  module Boot
    # Why a file did, or did not, come out of an image: for whoever listens, and for `spate boot status` and `explain`.
    # Asked only where somebody wants to know.
    module Instrumentation
      # Times within this of the recording prove nothing (docs/image-format.md).
      RACY_NS = 20_000_000
      COMPILES_WITH_WARNINGS = 1
      WARNS_WHEN_VERBOSE = 2

      class << self
        # One line, nil for a plain hit. event: as the loader has it; path: of the file.
        def reason(event, path)
          return if event == :hit

          entry, from = entry_of(path)
          return no_entry unless entry
          return "its code in #{from} is damaged" if event == :damaged

          state, reason = state(entry, path)
          return reason if state == event || state == :warns

          event == :stale ? "its real path is another" : reason
        end

        # [outcome, reason] of a file now, against an image's entry (Native::Image#entry): :hit, :revalidated, :stale,
        # :warns or :gone.
        def state(entry, path)
          size, mtime, ctime, _, inode = Native.stat(path)
          return [:gone, "there is no such file"] unless size
          return [:warns, "compiling it prints a warning, or fails"] if warns?(entry)
          return [:stale, "its size is #{size}, the image has #{entry[:size]}"] if size != entry[:size]

          doubt = doubt(entry, mtime, ctime, inode) or return [:hit, nil]
          return [:stale, "its content is another"] if Native.content_hash(path) != entry[:hash]

          [:revalidated, "#{doubt}; its content is the same"]
        end

        # One line about the images that the loader met and could not use, nil where there are none.
        def problems
          problems = Native::Loader.problems
          return if problems.empty?

          path, reason = problems.first
          more = problems.size > 1 ? " and #{problems.size - 1} more" : ""
          "#{path} (#{reason})#{more} cannot be used, Ruby compiles instead: `spate boot verify` tells more"
        end

        private

        def warns?(entry)
          entry[:flags] & COMPILES_WITH_WARNINGS != 0 || entry[:bytes].zero? ||
            ($VERBOSE && entry[:flags] & WARNS_WHEN_VERBOSE != 0)
        end

        def doubt(entry, mtime, ctime, inode)
          return "its mtime is another" if mtime != entry[:mtime_ns]
          return "its ctime is another" if ctime != entry[:ctime_ns]
          return "its inode is another" if entry[:inode] != 0 && inode != entry[:inode]

          recorded = entry[:recorded_ns]
          "it changed within 20 ms of the recording" if [mtime, ctime].any? { |time| recorded - time < RACY_NS }
        end

        def entry_of(path)
          { "the overlay" => Boot.session&.overlay, "the application's image" => Boot.session&.image }
            .each { |name, image| (entry = image&.entry(path)) && (return [entry, name]) }
          nil
        end

        def no_entry
          return unless Boot.session # while a boot begins
          return "there is no image yet" unless Boot.session.image

          "no image of the application has it"
        end
      end
    end
  end
end
