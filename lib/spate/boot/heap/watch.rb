# frozen_string_literal: true

module Spate
  module Boot
    module Heap
      # Ends the hold where no event of the program does: a thread that looks each tenth of a second.
      class Watch
        INTERVAL = 0.1
        # So many looks with the main thread asleep, and next to nothing done since the one before: it waits for work,
        # the boot is over. Its state alone says nothing: a thread that reads a file sleeps too, and just then this one
        # gets to look.
        IDLE = 10
        # Seconds of processor time.
        NOTHING = 0.005

        def initialize(&block)
          @block = block
          @main = Thread.main
          @first = bytes
          @spent = spent
          @until = now + BootEnd::SECONDS
        end

        def start
          @thread = Thread.new { look }
          @thread.name = "spate: boot"
          @thread.report_on_exception = false
        end

        def stop
          @thread.kill unless @thread.nil? || @thread == Thread.current
        end

        private

        def look
          idle = 0
          loop do
            sleep INTERVAL
            idle = asleep? ? idle + 1 : 0
            why = over(idle) or next
            break @block.call(why)
          end
        end

        def asleep?
          before = @spent
          @spent = spent
          @main.status == "sleep" && @spent - before < NOTHING
        end

        def over(idle)
          return :seconds if now > @until
          return :memory if bytes - @first > BootEnd::BYTES

          :idle if idle >= IDLE
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        def spent = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

        # Resident memory; where the system does not tell it, what Ruby has taken since collection was held back.
        def bytes
          File.read("/proc/self/statm", encoding: Encoding::BINARY).split[1].to_i * 4096
        rescue SystemCallError
          (GC.stat(:heap_allocated_pages) << 16) + GC.stat(:malloc_increase_bytes)
        end
      end
    end
  end
end
