# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Heap
        # Ruby's heap settings at its start, from the boot log of boots of one kind. They do not make the heap larger
        # than it becomes without them:
        #
        # - Ruby 3.3 and later, where each slot size grows by itself: as many slots of each as such a boot had at its
        #   end.
        #   They exist from the start, instead of step by step with a collection before each.
        # - Before: how much old objects may allocate by malloc until all of them are marked again, 64 MB instead of 16.
        #   Ruby itself goes up to 128 while a program runs.
        class Settings
          SLOTS = "RUBY_GC_HEAP_%d_INIT_SLOTS"
          OLD = "RUBY_GC_OLDMALLOC_LIMIT"
          BYTES = 64 << 20
          # The share of memory that it may take, and the least that is worth setting: twice Ruby's own.
          SHARE = 16
          LEAST = 32 << 20

          # How boots of applications and servers end; anything else is a script.
          ENDS = %w[after_initialize fork accept].freeze
          # How many boots count.
          LAST = 5
          # Milliseconds of collection that are worth an attempt, and that must be saved: more than another start of
          # Ruby (15).
          WORTH = 100
          PRICE = 20

          # lines: [BootLog::Line] of one kind of boot.
          def initialize(lines)
            boots = lines.select { |line| ENDS.include?(line.ended) && line.share >= BootLog::WITH }
            @told, @plain = boots.partition { |line| !line.parts.key?("heap") }
          end

          # Whether boots spent less time collecting with it than without. Tried if it may be worth it, and again
          # when the boot log has no boots of one of the two.
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

          # Of a boot without settings, since Ruby keeps slots that it was given.
          def slots
            last = @plain.last or return {}
            last.slots.each_with_index.to_h { |count, pool| [format(SLOTS, pool), count.to_s] }
          end

          def limit(bytes) = bytes < LEAST ? {} : { OLD => bytes.to_s }

          def collected(boots) = BootLog.median(boots.last(LAST).map(&:collected)) || 0
        end
      end
    end
  end
end
