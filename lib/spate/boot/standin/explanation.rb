# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # What the stand-ins of an application stand on, and whether they hold here.
      class Explanation
        # env: of the user, or of a program that is set up.
        def initialize(location, env)
          @location = location
          @env = env
        end

        # As Gemfile::Explanation#to_a; of a stand-in that is refused `refused` says why.
        def to_a(all: false)
          records.map do |record|
            refused = record.unreadable || record.refused
            next { answer: "stand-in", refused: refused, inputs: {} } if refused

            Gemfile::Explanation.of("stand-in", record.inputs[:basis], record.usable?(@env), all: all)
          end
        end

        private

        def records
          image = Builder::BootImage.new(Images.new(Home.store_root(@env)), @location).old
          Records::NAMES.filter_map { |name| image.data(name) }.map { |bytes| Record.new(bytes) }
        end
      end
    end
  end
end
