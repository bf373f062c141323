# frozen_string_literal: true

require "json"

module Spate
  module Server
    module Profile
      module Engine
        # The gem vernier: all threads over wall time, idle ones too. Ruby 3.2 and later; LoadError where it is not
        # installed.
        class Vernier
          def initialize
            require "vernier"
          end

          def name = "vernier"
          def mode = "wall"

          def start(interval)
            ::Vernier.start_profile(mode: :wall, interval: interval)
          end

          def stop(facts)
            result = ::Vernier.stop_profile
            told = JSON.parse(::Vernier::Output::Firefox.new(result).output)
            Format::Firefox.recording(told, facts)
          end

          def forget = nil
        end
      end
    end
  end
end
