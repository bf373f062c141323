# frozen_string_literal: true

module Spate
  module Util
    # Prints the error with which a run failed. Spate's own errors have messages for users, file system errors get an
    # explanation, and all others are printed as bugs in Spate.
    class Failure
      BUG = 1
      FILE_SYSTEM = 9
      UNBUILT = 15
      INTERRUPTED = 130
      # The exit status that shells report for a program killed by SIGPIPE.
      BROKEN_PIPE = 141

      HINTS = {
        Errno::ENOSPC => "free some space: `spate store status` shows the store's contents, `prune` shrinks it",
        Errno::EDQUOT => "the quota is used up: `spate store prune` shrinks the store",
        Errno::EROFS => "the file system is mounted read-only; choose another store with --store DIR",
        Errno::EACCES => "you have no write permission there; `spate doctor` shows the owner",
        Errno::EPERM => "you have no permission for this; `spate doctor` shows the owner"
      }.freeze

      # half: "gems" or "packages" if the other one may have been installed successfully.
      def initialize(error, argv:, terminal:, half: nil)
        @error = error
        @half = half
        @argv = argv
        @terminal = terminal
      end

      # Prints the error and returns the exit code.
      def report
        case @error
        when Interrupted, ::Interrupt, SignalException then interrupted
        when Error then fail_with(@error.exit_code, @error.message, @error.hint, @error.details)
        when *HINTS.keys then denied
        when SystemCallError then blocked || bug
        else Native.unbuilt?(@error) ? unbuilt : bug
        end
      end

      private

      def json? = @argv.include?("--json")
      def verbose? = @terminal.verbose? || @argv.include?("--verbose")

      def interrupted
        json_line(INTERRUPTED, "interrupted", nil, [])
        @terminal.err.puts "#{@terminal.paint("interrupted", :red)}: completed steps are kept, nothing is half-done"
        INTERRUPTED
      end

      def denied
        # `===` of these classes compares the errno. Errors of the C core are not instances of these classes.
        hint = HINTS.find { |kind, _| kind === @error }.last # rubocop:disable Style/CaseEquality
        denied = PermissionError.of(@error)
        fail_with(FILE_SYSTEM, denied&.message || ErrorSummary.of(@error), denied&.hint || hint)
      end

      def blocked
        obstacle = PathConflict.of(@error) or return
        fail_with(FILE_SYSTEM, obstacle.message, obstacle.hint)
      end

      def unbuilt
        fail_with(UNBUILT, "Spate's extensions are not built for this Ruby: #{ErrorSummary.of(@error)}", Native.remedy)
      end

      def bug
        fail_with(BUG, "this is a bug in Spate #{VERSION}: #{@error.class}: #{ErrorSummary.of(@error)}",
                  "please report it with the output of the same command under --verbose",
                  terminal_details: ["while running: spate #{@argv.join(" ")}", *place])
      end

      # terminal_details: details for the terminal, by default the same as in the JSON.
      def fail_with(code, message, hint, details = [], terminal_details: details)
        json_line(code, message, hint, details)
        @terminal.error([@half, message].compact.join(": "), details: terminal_details, hint: hint)
        trace if verbose?
        code
      end

      def place = @error.backtrace ? ["at #{@error.backtrace.first}"] : []

      def trace
        error = @error
        while error
          @terminal.err.puts "#{error.class}: #{Terminal.plain(error.message)}"
          Array(error.backtrace).each { |line| @terminal.err.puts "    #{line}" }
          error = error.cause
        end
      end

      def json_line(code, message, hint, details)
        return unless json?

        facts = { exit_code: code, half: @half, message: message, hint: hint, details: details }
        facts.delete(:half) unless @half
        JsonLines.new(@terminal.out).call({ event: :error, **facts })
      end
    end
  end
end
