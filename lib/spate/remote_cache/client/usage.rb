# frozen_string_literal: true

module Spate
  module RemoteCache
    class Client
      # The use of a cache on this machine, added up over installs and kept in the store.
      #
      #   installs, archives, builds, checks, images, misses, failures, bytes   Integer
      #   seconds   of compiling that was spared, Float
      #   reasons   {words => how often}: why what it has is of no use
      #   failure   words of the last one, or nil
      class Usage
        KIND = "team"
        NUMBERS = %i[installs archives builds checks images misses failures bytes seconds].freeze
        # Reasons that are kept, those seen most.
        MOST = 20

        # name: of the cache, as people know it and as no other has it: a transport's to_s.
        def initialize(store, name)
          @store = store.keeper
          @key = Store.sha256(name)
        end

        # {installs: …, reasons: {…}}; zeros where nothing was noted.
        def to_h
          require "json"
          kept = JSON.parse(@store&.read(KIND, @key) || "{}", symbolize_names: false)
          reasons = kept["reasons"].is_a?(Hash) ? kept["reasons"] : {}
          { **NUMBERS.to_h { |name| [name, kept[name.to_s] || 0] }, reasons: reasons, failure: kept["failure"] }
        rescue JSON::ParserError
          { **NUMBERS.to_h { |name| [name, 0] }, reasons: {}, failure: nil }
        end

        # tally: of a Client. Only what saves work is at stake: what cannot be noted is not.
        def add(tally)
          return unless @store

          @store.lock("team") do
            before = to_h
            sums = NUMBERS.to_h { |name| [name, before[name] + tally[name].to_i] }
            sums[:seconds] = (before[:seconds] + tally[:seconds].to_f).round(1)
            reasons = before[:reasons].merge(tally[:reasons]) { |_, one, other| one + other }
            text = JSON.generate(**sums, reasons: reasons.max_by(MOST) { |_, count| count }.to_h,
                                         failure: tally[:failure] || before[:failure])
            @store.write(KIND, @key, text)
          end
        end
      end
    end
  end
end
