# frozen_string_literal: true

module Spate
  module Boot
    # The output of a boot: one warning line for each part that fails, and all events for listeners and the log.
    module Log
      autoload :Outcomes, "#{FOLDER}/log/outcomes"

      class << self
        # Prints a line on stderr, the same line only once. Never raises, even if stderr is closed.
        def warn(text)
          line = "spate: #{text}"
          return if (@warned ||= {})[line]

          @warned[line] = true
          $stderr.write(line, "\n") # Kernel#warn is silent under -W0, and the application may replace it
        rescue IOError, SystemCallError
          nil
        end

        # Writes a line to the log that SPATE_LOG names, if any.
        def line(event, path, reason = nil)
          @file&.write("#{format("%.3f", Process.clock_gettime(Process::CLOCK_REALTIME))} #{Process.pid} " \
                       "#{event} #{path}#{" (#{reason})" if reason}\n")
        rescue IOError, SystemCallError
          nil
        end

        # Opens the log if `switches` request one.
        def start(switches)
          name = switches.log or return (count_at_end if switches.stats?)

          @file = name == "-" ? $stderr : File.open(name, File::WRONLY | File::APPEND | File::CREAT, 0o600)
          @file.sync = true
          listen(Boot.instrumentation)
        rescue SystemCallError => e
          warn("SPATE_LOG: #{name}: #{SystemCallError.new(nil, e.errno).message}")
        end

        # Passes events to the block (event, path, reason) and to the log.
        def listen(block)
          return unless defined?(Native::Loader)

          Outcomes if block || @file # loading it during an event would trigger another one

          Native::Loader.listener = (method(:loaded).to_proc if block || @file)
        end

        # Called by the loader.
        def loaded(event, path, why) = event(event, path, Outcomes.reason(event, why))

        # Called by the other parts.
        def event(event, path, reason = nil)
          line(event, path, reason) if @file && event != :hit
          Boot.instrumentation&.call(event, path, reason)
        end

        private

        def count_at_end
          at_exit do
            counts = Native::Loader.counts
            counts.each { |event, count| $stderr.write("spate #{event}: #{count}\n") }
          end
        end
      end
    end
  end
end
