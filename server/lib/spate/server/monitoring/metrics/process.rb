# frozen_string_literal: true

require "etc"

module Spate
  module Server
    module Monitoring
      class Metrics
        # Memory and garbage collection of this process.
        module Process
          PAGE = Etc.sysconf(Etc::SC_PAGESIZE)

          def self.now = ::Process.clock_gettime(::Process::CLOCK_REALTIME)

          # memory: resident bytes. collections: number of garbage collections. collecting: milliseconds spent in them.
          def self.facts
            { memory: memory, collections: GC.count, collecting: GC.stat(:time) || 0 }
          end

          def self.memory
            File.read("/proc/self/statm").split[1].to_i * PAGE
          rescue SystemCallError
            0 # not Linux
          end
        end
      end
    end
  end
end
