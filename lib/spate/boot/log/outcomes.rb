# frozen_string_literal: true

module Spate
  module Boot
    module Log
      # Texts that explain why a file did or did not come from a compile cache, for listeners and for `spate boot
      # status` and `explain`. Loaded only on demand.
      module Outcomes
        # Keys are the symbols of Native::Loader.judge.
        WORDS = {
          gone: "the file does not exist", kind: "it is not a regular file", size: "its size differs",
          content: "its content differs", place: "its real path differs",
          encoding: "its name has another encoding than before", damaged: "its code is damaged",
          refused: "Ruby rejects its code", mtime: "its mtime differs; its content is the same",
          ctime: "its ctime differs; its content is the same",
          inode: "its inode differs; its content is the same",
          recent: "it changed within 20 ms of the recording; its content is the same",
          unkept: "this file system has no reliable times; its content is the same"
        }.freeze
        COMPILES_WITH_WARNINGS = "compiling it prints a warning, or fails"

        class << self
          # Returns one line, or nil for a hit with unchanged times. event, why: from the loader.
          def reason(event, why)
            return COMPILES_WITH_WARNINGS if event == :warns && why != :encoding

            event == :miss ? no_entry : WORDS[why]
          end

          # Returns the [outcome, reason] that loading the file now would have. cache: the compile cache to check, or
          # nil for all.
          def state(path, cache = nil)
            outcome, why = Native::Loader.judge(path, cache)
            [why == :gone ? :gone : outcome, reason(outcome, why)]
          end

          # One line about the compile caches that the loader could not use. Requires at least one problem.
          def problems
            problems = Native::Loader.problems
            path, reason = problems.first
            more = problems.size > 1 ? " and #{problems.size - 1} more" : ""
            "#{path} (#{reason})#{more} cannot be used, so Ruby compiles the files; for details: spate boot verify"
          end

          private

          def no_entry
            return unless Boot.session # nil at the start of a boot
            return "the application has no compile cache yet" unless Boot.session.cache

            "it is not in a compile cache of the application"
          end
        end
      end
    end
  end
end
