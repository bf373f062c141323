# frozen_string_literal: true

module Spate
  module Boot
    module Heap
      # What Ruby is told of its heap when it starts, from what boots of one kind took. The heap becomes no larger by it
      # than it becomes anyway:
      #
      # - Ruby 3.3 and later, where each size of slot grows by itself: how many of each such a boot had in the end. As
      #   many are there from the start, instead of step by step with a collection before each.
      # - Before: what old objects may take by malloc until all of them are looked at again, 64 MB instead of 16. Ruby
      #   itself goes up to 128 while a program runs.
      class Settings
        SLOTS = "RUBY_GC_HEAP_%d_INIT_SLOTS"
        OLD = "RUBY_GC_OLDMALLOC_LIMIT"
        BYTES = 64 << 20
        # The share of memory that it may be, and what is not worth setting: twice Ruby's own.
        SHARE = 16
        LEAST = 32 << 20

        # Ends of boots that were of applications and servers; what ends otherwise is a script.
        ENDS = %w[after_initialize fork accept].freeze
        # So many boots count.
        LAST = 5
        # Milliseconds of collection that are worth a try; what must be gained: more than another start of Ruby (15).
        WORTH = 100
        PRICE = 20

        # lines: [Journal::Line] of one kind of boot.
        def initialize(lines)
          boots = lines.select { |line| ENDS.include?(line.ended) && line.share >= Journal::WITH }
          @told, @plain = boots.partition { |line| !line.parts.key?("heap") }
        end

        # Whether boots took less collection with it than without. It is tried where it may be worth it, and again when
        # the journal has forgotten the one or the other.
        def gain?
          without = collected(@plain)
          return false if without < WORTH

          @told.empty? || collected(@told) + PRICE < without
        end

        # {name => value}. available: bytes of memory.
        def to_h(available)
          SIZED ? slots : limit([available / SHARE, BYTES].min)
        end

        private

        # Of a boot that was told nothing: what Ruby is told it keeps.
        def slots
          last = @plain.last or return {}
          last.slots.each_with_index.to_h { |count, pool| [format(SLOTS, pool), count.to_s] }
        end

        def limit(bytes) = bytes < LEAST ? {} : { OLD => bytes.to_s }

        def collected(boots) = Journal.median(boots.last(LAST).map(&:collected)) || 0
      end
    end
  end
end
