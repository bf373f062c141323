# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache verify`: reads all entries of the cache.
      class Verify < Subcommand
        FAULTY = 9

        def run
          operands!
          foreign = faults = 0
          found = contents do |all|
            all.verify do |fault|
              stranger?(fault) ? foreign += 1 : faults += 1
              tell(fault)
            end
          end
          return finish_json(found, faults, foreign) if json?

          others = ", #{Units.number(foreign)} of signers that are not trusted here" if foreign.positive?
          terminal.tell "#{Units.count(found[:documents], "document")} and #{Units.count(found[:blobs], "blob")} " \
                        "(#{Units.bytes(found[:bytes])}), #{Units.count(faults, "fault")}#{others}"
          faults.zero? ? 0 : FAULTY
        end

        private

        # Builds of signers not trusted here are not counted as faults.
        def stranger?(fault) = RemoteCache::Trust.stranger(fault.reason.split(": ", 2).last)

        def finish_json(found, faults, foreign)
          json.call(event: :cache_verified, ok: faults.zero?, faults: faults, foreign: foreign, **found)
          faults.zero? ? 0 : FAULTY
        end

        def tell(fault)
          return json.call(event: stranger?(fault) ? :cache_foreign : :cache_fault, **fault.to_h) if json?

          progress.clear
          words = "#{fault.name}: #{Util::Terminal.plain(fault.reason)}"
          stranger?(fault) ? terminal.tell(words) : terminal.error(words)
        end
      end
    end
  end
end
