# frozen_string_literal: true

module Spate
  module RemoteCache
    class Push
      # The names that this store has sent to one cache, or has found there: one text, a line each, of a Unix time and a
      # name.
      class Notes
        KIND = "sent"
        # Seconds after which the cache is queried again: the name may have been collected.
        GOOD = 7 * 24 * 60 * 60

        # cache: as people know it and as no other has it.
        def initialize(store, cache)
          @store = store.keeper
          @key = Store.sha256(cache)
          @kept = read
          @fresh = {}
        end

        def include?(name) = good?(@kept[name])
        def <<(name) = @fresh[name] = Time.now.to_i

        # Others may have written meanwhile. What is forgotten is looked for again.
        def keep
          return if @fresh.empty?

          all = read.merge(@fresh).select { |_, time| good?(time) }
          @store&.write(KIND, @key, all.map { |name, time| "#{time} #{name}\n" }.join)
        end

        private

        def good?(time) = time && time > Time.now.to_i - GOOD

        def read
          @store&.read(KIND, @key).to_s.scan(/^(\d+) (.+)$/).to_h { |time, name| [name, time.to_i] }
        end
      end
    end
  end
end
