# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Engine
        # The gem stackprof: one thread at a time, that which holds Ruby's lock. LoadError where it is not installed.
        class Stackprof
          def initialize
            require "stackprof"
          end

          def name = "stackprof"
          def mode = "cpu"

          def start(interval)
            StackProf.start(mode: :cpu, interval: interval, raw: true, aggregate: true)
          end

          def stop(facts)
            StackProf.stop
            results = StackProf.results or raise Unable, "stackprof recorded nothing"
            Format::Stackprof.recording(results.merge(metadata: { "spate" => facts }))
          end

          def forget = nil
        end
      end
    end
  end
end
