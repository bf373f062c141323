# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # The records of one application: one an environment (RAILS_ENV, BUNDLE_WITHOUT), the last made first. Only the
      # environment tells them apart: what else makes one old makes all of them old.
      class Records
        # Names in the image's data.
        NAMES = %w[standin standin2 standin3 standin4].freeze

        # source: answers `data(name)`, bytes or nil.
        def self.of(source) = new(NAMES.filter_map { |name| source.data(name) })

        # list: bytes of records.
        def initialize(list)
          @list = list
        end

        def empty? = @list.empty?

        # [bytes, true] of the one that may be used, else [nil, reason]; the reason is that of the last made.
        def choose(env)
          reasons = @list.map do |bytes|
            usable = Standin.usable?(bytes, env)
            return [bytes, true] if usable == true

            usable
          end
          [nil, reasons.first]
        end

        # Whether another one is worth making, where none may be used.
        def outdated?(env) = @list.all? { |bytes| Record.new(bytes).outdated?(env) }

        # Those that a record for this environment is no substitute for.
        def others(env)
          @list.select { |bytes| Record.new(bytes).other_environment?(env) }.first(NAMES.size - 1)
        end

        # {name => bytes}, with this one first.
        def self.named(bytes, others) = NAMES.zip([bytes, *others]).to_h.compact
      end
    end
  end
end
