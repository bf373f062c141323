# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache verify`: reads all that the cache has.
      class Verify < Subcommand
        FAULTY = 9

        def run
          operands!
          faults = 0
          found = contents do |all|
            all.verify do |fault|
              faults += 1
              tell(fault)
            end
          end
          return finish_json(found, faults) if json?

          terminal.tell "#{Units.count(found[:documents], "document")} and #{Units.count(found[:blobs], "blob")} " \
                        "(#{Units.bytes(found[:bytes])}), #{Units.count(faults, "fault")}"
          faults.zero? ? 0 : FAULTY
        end

        private

        def finish_json(found, faults)
          json.call(event: :cache_verified, ok: faults.zero?, faults: faults, **found)
          faults.zero? ? 0 : FAULTY
        end

        def tell(fault)
          return json.call(event: :cache_fault, **fault.to_h) if json?

          progress.clear
          terminal.error("#{fault.name}: #{Ground::Terminal.plain(fault.reason)}")
        end
      end
    end
  end
end
