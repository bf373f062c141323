# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # Installs gems (on this thread) and packages (on another) in parallel. If one of them fails, the other still
      # finishes, and the next install uses its result. Ctrl-C stops both.
      class Halves
        # half:: "gems" or "packages"
        Failed = Struct.new(:half, :error)

        # Exceptions that stop both.
        ENDS = [Interrupted, ::Interrupt, SignalException, SystemExit].freeze

        # The reports, or nil for a half that failed.
        attr_reader :gems, :packages
        # [Failed], in the order of failure.
        attr_reader :failures

        def initialize
          @failures = []
          @mutex = Mutex.new
        end

        # gems, packages: callables that install a half and return its report.
        def run(gems:, packages:)
          other = beside { @packages = attempt("packages", &packages) }
          @gems = attempt("gems", &gems)
          other.value
          self
        ensure
          finish(other) if other
        end

        private

        def beside
          Thread.new do
            Thread.current.report_on_exception = false
            yield
          end
        end

        def attempt(half)
          yield
        rescue *ENDS
          raise
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e
          @mutex.synchronize { @failures << Failed.new(half, e) }
          nil
        end

        # Stops the other thread and waits for its cleanup before the command ends.
        def finish(other)
          Thread.handle_interrupt(::Interrupt => :never) do
            other.raise(::Interrupt, "the other half ended") if other.alive?
            other.join
          rescue *ENDS
            nil # the error that ended this thread is already being raised
          end
        end
      end
    end
  end
end
