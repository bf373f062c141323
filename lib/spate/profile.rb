# frozen_string_literal: true

module Spate
  # Where did a boot go? Runs a command with a probe, and makes a page and data of what the probe saw.
  #
  # Reading order: probe (in the command's process), run (starts it), trace (what the stamps mean), page.
  module Profile
    autoload :Comparison, "spate/profile/comparison"
    autoload :Owners, "spate/profile/owners"
    autoload :Page, "spate/profile/page"
    autoload :Run, "spate/profile/run"
    autoload :Trace, "spate/profile/trace"

    # Of the data; raised when a reader of the former one would misread it.
    FORMAT = 1

    # The command ended without a word of the probe.
    class NoTrace < Error
      EXIT_CODE = 2

      def initialize(command)
        super("#{command.first} left no profile: it is no Ruby program, or another took its place",
              hint: "name the Ruby program itself: spate boot profile -- bin/rails runner 1")
      end
    end

    # A file that is no profile.
    class Unreadable < Error
      EXIT_CODE = 2

      def initialize(path, reason)
        super("#{path} is no profile of `spate boot profile`: #{reason}",
              hint: "--compare takes `plain`, a page, or its .json")
      end
    end
  end
end
