# frozen_string_literal: true

module Spate
  module Gemfile
    # There is no Gemfile in this folder or a parent.
    class NotFound < Error
      EXIT_CODE = 2
      NAMED = "the name comes from --gemfile, BUNDLE_GEMFILE or `bundle config get gemfile`"

      def initialize(place, named: false)
        if named
          super("#{place} does not exist", hint: NAMED)
        else
          packages = "; for packages of package.json: spate js" if File.file?(File.join(place, "package.json"))
          super("no Gemfile or gems.rb in #{place} or any folder above",
                hint: "run the command in the application's folder, or create a Gemfile: spate init#{packages}")
        end
      end
    end

    # The bundle is frozen, and the lockfile does not match the Gemfile.
    class Disagreement < Error
      EXIT_CODE = 4

      FROZEN = "run `spate lock` where the bundle is not frozen, and commit the lockfile"
      private_constant :FROZEN

      # difference: lines that describe it. frozen: whether the bundle is frozen, so that Spate does not resolve.
      def initialize(location, difference, frozen: true)
        names = [location.lockfile, location.gemfile].map { |path| File.basename(path) }
        super("#{names.join(" does not agree with ")}#{", and the bundle is frozen" if frozen}",
              hint: frozen ? FROZEN : "spate install", details: difference)
      end
    end

    # The Gemfile or a gemspec raised an error.
    class EvaluationFailed < Error
      EXIT_CODE = 4

      def initialize(gemfile, lines)
        super("#{gemfile} cannot be evaluated", hint: "`bundle exec ruby -e 1` shows the same error in full",
                                                details: lines)
      end
    end

    # Bundler failed. Its exit status determines the exit code.
    class BundlerFailed < Error
      EXIT_CODE = 5

      # status: Bundler's exit status.
      attr_reader :exit_code, :status

      # status: Integer, or a text if a signal ended Bundler. lines: last lines of its output. hint: used instead of the
      # default hint for the status.
      def initialize(arguments, status, lines, hint: nil)
        meaning = BundlerStatus.of(status, lines.join("\n"))
        @status = status
        @exit_code = meaning.code
        command = "`bundle #{arguments.join(" ")}` ended with #{"status " if status.is_a?(Integer)}#{status}"
        super(arguments.first == "lock" ? "Bundler could not resolve: #{command}" : command,
              details: lines, hint: hint || meaning.hint)
      end
    end
  end
end
