# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Heap
        # Initial heap settings of Ruby, computed from the boot log of one kind of boot. They do not make the heap
        # larger than it would grow without them:
        #
        # - Ruby 3.3 and later, where each slot size grows separately: as many slots of each size as such a boot had at
        #   its end. They exist from the start instead of being added step by step, with a collection before each step.
        # - Older Rubies: the number of bytes that old objects may allocate with malloc before all objects are marked
        #   again is 64 MB instead of 16. Ruby itself goes up to 128 MB while a program runs.
        class Settings
          SLOTS = "RUBY_GC_HEAP_%d_INIT_SLOTS"
          OLD = "RUBY_GC_OLDMALLOC_LIMIT"
          BYTES = 64 << 20
          # The limit is at most 1/SHARE of the available memory. Below LEAST (bytes), which is twice Ruby's default, it
          # is not set.
          SHARE = 16
          LEAST = 32 << 20

          # Events that end boots of applications and servers. Other boots are scripts and are ignored.
          ENDS = %w[after_initialize fork accept].freeze
          # The number of boots to compare.
          LAST = 5
          # WORTH: milliseconds of garbage collection that justify trying the settings. PRICE: milliseconds that the
          # settings must save, since restarting Ruby takes 15 ms.
          WORTH = 100
          PRICE = 20

          # lines: [BootLog::Line] of one kind of boot.
          def initialize(lines)
            boots = lines.select { |line| ENDS.include?(line.ended) && line.share >= BootLog::WITH }
            @with_settings, @without_settings = boots.partition { |line| !line.parts.key?("heap") }
          end

          # Whether boots spent less time in garbage collection with the settings than without. Returns true if the log
          # has only boots without the settings, to try them, and false if it has only boots with them, to measure
          # again.
          def gain?
            without = collected(@without_settings)
            return false if without < WORTH

            @with_settings.empty? || collected(@with_settings) + PRICE < without
          end

          # {name => value}. available: bytes of memory.
          def to_h(available)
            SIZED ? slots : limit([available / SHARE, BYTES].min)
          end

          private

          # Uses the last boot without settings, because with them Ruby keeps all initial slots, even unused ones.
          def slots
            last = @without_settings.last or return {}
            last.slots.each_with_index.to_h { |count, pool| [format(SLOTS, pool), count.to_s] }
          end

          def limit(bytes) = bytes < LEAST ? {} : { OLD => bytes.to_s }

          def collected(boots) = BootLog.median(boots.last(LAST).map(&:collected)) || 0
        end
      end
    end
  end
end
