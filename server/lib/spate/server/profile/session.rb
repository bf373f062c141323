# frozen_string_literal: true

require "rbconfig"

module Spate
  module Server
    module Profile
      # A profile from its start to its file, in one process: a fork has no part in it.
      class Session
        def initialize(destination, engine, rate:, seconds: nil, log: nil)
          @destination = destination
          @engine = engine
          @rate = rate
          @seconds = seconds
          @log = log
          @pid = Process.pid
        end

        def here? = @pid == Process.pid

        def start
          @started = now
          @epoch = Process.clock_gettime(Process::CLOCK_REALTIME)
          @cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
          @collections = collections
          @engine.start(1_000_000 / @rate)
          Session.at_end
          Thread.new { sleep(@seconds) && end_by_itself }.name = "spate-profile-end" if @seconds
          self
        end

        # Answers the path; nil in a fork.
        def stop
          return @engine.forget unless here?

          recording = take
          @destination.write { |file| Format.of(@destination.ending).write(recording, file) }
        end

        def take
          facts = self.facts # before the engine stops: what it does then is none of the server's
          @engine.stop(facts)
        end

        # A server that ends with a profile running writes it.
        def self.at_end
          return if @at_end

          @at_end = true
          at_exit { Profile.stop if Profile.running? }
        end

        # What is recorded besides the samples; seconds, microseconds. Keys are Strings, values fit JSON.
        def facts
          { "engine" => @engine.name, "mode" => @engine.mode, "interval" => 1_000_000 / @rate, "started" => @epoch,
            "monotonic" => @started, "seconds" => (now - @started).round(6),
            "cpu" => (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - @cpu).round(6),
            "gc" => collections.to_h { |name, value| [name, value - @collections[name]] },
            "pid" => Process.pid, "command" => ([$PROGRAM_NAME] + ARGV).join(" "), "ruby" => RUBY_DESCRIPTION,
            "server" => VERSION }
        end

        private

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

        def end_by_itself
          Profile.stop_and_tell(@log) if Profile.session?(self)
        end

        # "milliseconds": in collections. "objects": that were made.
        def collections
          told = ::GC.stat
          { "runs" => told[:count], "milliseconds" => told[:time] || 0, "objects" => told[:total_allocated_objects] }
        end
      end
    end
  end
end
