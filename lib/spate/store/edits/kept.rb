# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # edits/<UTC time>-<package>/<path>: a copy of whatever stood in the place of a healed object, so that nothing a
      # user wrote is ever lost. Prune leaves it alone.
      class Kept
        def initialize(store, now: Time.now)
          @store = store
          @stamp = now.getutc.strftime("%Y%m%dT%H%M%SZ")
        end

        # Answers the path of the copy. Where there is no room for a copy, a link of the same inode has to do.
        def keep(source, package, path)
          target = free(@store.path("edits", "#{@stamp}-#{package}", path))
          @store.make(File.dirname(target))
          begin
            Place.copy(source, target)
          rescue Errno::ENOSPC, Errno::EDQUOT
            File.unlink(target) if File.exist?(target)
            File.link(source, target)
          end
          target
        rescue SystemCallError => e
          raise Error.for(e, target || source)
        end

        private

        # Two edits of one file within a second.
        def free(target)
          return target unless File.exist?(target)

          (1..).lazy.map { |number| "#{target}.#{number}" }.find { |path| !File.exist?(path) }
        end
      end
    end
  end
end
