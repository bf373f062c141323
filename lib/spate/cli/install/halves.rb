# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      # Both halves of an install at the same time: the gems' on this thread, the packages' on another. One that fails
      # lets the other come to its end, which stays good for the next install; Ctrl-C ends both.
      class Halves
        # half:: "gems" or "packages"
        Failed = Struct.new(:half, :error)

        # What is no failure of one half.
        ENDS = [Interrupted, ::Interrupt, SignalException, SystemExit].freeze

        # Reports, nil where that half failed.
        attr_reader :gems, :packages
        # [Failed], in the order in which they failed.
        attr_reader :failures

        def initialize
          @failures = []
          @mutex = Mutex.new
        end

        # gems, packages: what does the half, and answers its report.
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

        # Nothing of it is left to run when this command ends; what it cleans up is not cut short.
        def finish(other)
          Thread.handle_interrupt(::Interrupt => :never) do
            other.raise(::Interrupt, "the other half ended") if other.alive?
            other.join
          rescue *ENDS
            nil # the error that ended this thread is on its way, or other.value raised it already
          end
        end
      end
    end
  end
end
