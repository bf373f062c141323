# frozen_string_literal: true

module Spate
  module Gemfile
    module Setup
      # The records of one application, the newest first: one for each environment (RAILS_ENV, BUNDLE_WITHOUT). Nothing
      # else tells them apart: any other change outdates all of them.
      class Records
        # Names in the image's data.
        NAMES = %w[standin standin2 standin3 standin4].freeze

        # source: answers `data(name)`, bytes or nil.
        def self.of(source) = new(NAMES.filter_map { |name| source.data(name) }.map { |bytes| Record.new(bytes) })

        # list: [Record]
        def initialize(list)
          @list = list
        end

        def to_a = @list
        def empty? = @list.empty?

        # [record, true] of the one that may be used, else [nil, reason], the newest one's.
        def choose(env)
          reasons = @list.map do |record|
            usable = record.usable?(env)
            return [record, true] if usable == true

            usable
          end
          [nil, reasons.first]
        end

        # Whether a new one is worth making, where none may be used.
        def outdated?(env) = @list.all? { |record| record.outdated?(env) }

        # Those for other environments.
        def others(env)
          @list.select { |record| record.other_environment?(env) }.first(NAMES.size - 1)
        end

        # {name => bytes} for an image's data.
        def self.data(records) = NAMES.zip(records.map(&:bytes)).to_h.compact
      end
    end
  end
end
