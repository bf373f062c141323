# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Packages come into the store.
      module Supply
        autoload :Acquisition, "spate/js/restore/supply/acquisition"
        autoload :Digests, "spate/js/restore/supply/digests"
        autoload :Item, "spate/js/restore/supply/item"
        autoload :Items, "spate/js/restore/supply/items"
        autoload :Origins, "spate/js/restore/supply/origins"
        autoload :Packages, "spate/js/restore/supply/packages"
        autoload :Patched, "spate/js/restore/supply/patched"
        autoload :Rewritten, "spate/js/restore/supply/rewritten"
      end
    end
  end
end
