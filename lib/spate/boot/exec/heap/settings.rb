# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Heap
        # Ruby's heap settings for its start, derived from the boot log of one kind of boot. They do not make the heap
        # larger than it would become without them:
        #
        # - Ruby 3.3 and later, where each slot size grows separately: as many slots of each size as such a boot had at
        #   its end. They exist from the start instead of being added step by step, with a collection before each step.
        # - Older Rubies: the number of bytes that old objects may allocate by malloc before all objects are marked
        #   again is 64 MB instead of 16. Ruby itself goes up to 128 MB while a program runs.
        class Settings
          SLOTS = "RUBY_GC_HEAP_%d_INIT_SLOTS"
          OLD = "RUBY_GC_OLDMALLOC_LIMIT"
          BYTES = 64 << 20
          # The share of memory that the settings may use, and the least that is worth setting: twice Ruby's own value.
          SHARE = 16
          LEAST = 32 << 20

          # How boots of applications and servers end. Other boots are scripts.
          ENDS = %w[after_initialize fork accept].freeze
          # The number of boots that count.
          LAST = 5
          # Milliseconds of collection that justify an attempt and that must be saved: more than the 15 ms of restarting
          # Ruby.
          WORTH = 100
          PRICE = 20

          # lines: [BootLog::Line] of one kind of boot.
          def initialize(lines)
            boots = lines.select { |line| ENDS.include?(line.ended) && line.share >= BootLog::WITH }
            @told, @plain = boots.partition { |line| !line.parts.key?("heap") }
          end

          # Whether boots spent less time collecting with the settings than without. Tries the settings if they may pay
          # off, and again when the boot log has no boots of one of the two kinds.
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

          # Uses the last boot without settings: with them, Ruby keeps all slots that it was given, needed or not.
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
