# frozen_string_literal: true

module Spate
  # Profiles a boot: runs a command (Run) with a probe in its process (Probe), evaluates the probe's stamps (Trace), and
  # writes a page and a data file (Page).
  module Profile
    autoload :Run, "spate/profile/run"
    %i[Comparison Page].each { |name| autoload name, "spate/profile/page" }
    %i[Owners Trace].each { |name| autoload name, "spate/profile/trace" }

    # Version of the data file's format. Increased if older readers would misinterpret the data.
    FORMAT = 1

    # The command exited, but the probe did not write a file.
    class NoTrace < Error
      EXIT_CODE = 2

      def initialize(command)
        super("#{command.first} wrote no profile: it is not a Ruby program, or another program replaced it",
              hint: "name the Ruby program itself: spate boot profile -- bin/rails runner 1")
      end
    end

    # The file that the user named is not a profile.
    class Unreadable < Error
      EXIT_CODE = 2

      def initialize(path, reason)
        super("#{path} is not a profile of `spate boot profile`: #{reason}",
              hint: "--compare takes `plain`, a page, or its .json")
      end
    end
  end
end
