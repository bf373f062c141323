# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # A running profile, from its start until its file is written. A fork does not continue the profile.
      class Session
        def initialize(destination, profiler, rate:, seconds: nil, log: nil)
          @destination = destination
          @profiler = profiler
          @rate = rate
          @seconds = seconds
          @log = log
          @pid = Process.pid
        end

        def here? = @pid == Process.pid

        def start
          @started = Server.now
          @epoch = Process.clock_gettime(Process::CLOCK_REALTIME)
          @cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
          @collections = collections
          @profiler.start(1_000_000 / @rate)
          Session.at_end
          Thread.new { sleep(@seconds) && stop_by_time }.name = "spate-profile-end" if @seconds
          self
        end

        # Writes the file and returns its path.
        def stop
          facts = self.facts # read first, to exclude the work of the profiler when it stops
          output = @profiler.stop(facts)
          @destination.write { |file| file.write(text(output)) }
        end

        # Writes a profile that is still running when the process ends.
        def self.at_end
          return if @at_end

          @at_end = true
          at_exit { Profile.stop if Profile.running? }
        end

        # Data in addition to the samples, in seconds and microseconds. The keys are Strings, and the values fit JSON.
        def facts
          { "profiler" => @profiler.name, "mode" => @profiler.mode, "interval" => 1_000_000 / @rate,
            "started" => @epoch, "seconds" => (Server.now - @started).round(6),
            "cpu" => (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - @cpu).round(6),
            "gc" => collections.to_h { |name, value| [name, value - @collections[name]] },
            "pid" => Process.pid, "command" => ([$PROGRAM_NAME] + ARGV).join(" "), "ruby" => RUBY_DESCRIPTION,
            "server" => VERSION }
        end

        private

        def text(output)
          return JSON.generate(output) if @destination.ending == ".json"

          Page.new(Recording.of(output, @profiler.name)).to_s
        end

        def stop_by_time
          Profile.stop_and_log(@log) if Profile.session?(self)
        end

        # "milliseconds": time spent in garbage collections. "objects": number of allocated objects.
        def collections
          stat = ::GC.stat
          { "runs" => stat[:count], "milliseconds" => stat[:time] || 0, "objects" => stat[:total_allocated_objects] }
        end
      end
    end
  end
end
