# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Places files, links and folders in a project, and removes strays.
      module Place
        autoload :Anew, "spate/js/restore/place/anew"
        autoload :Entries, "spate/js/restore/place/entries"
        autoload :Folders, "spate/js/restore/place/folders"
        autoload :InPlace, "spate/js/restore/place/in_place"
        autoload :Meanwhile, "spate/js/restore/place/meanwhile"
        autoload :OwnBins, "spate/js/restore/place/own_bins"
        autoload :Paths, "spate/js/restore/place/paths"
        autoload :Slots, "spate/js/restore/place/slots"
        autoload :Strays, "spate/js/restore/place/strays"
        autoload :Trash, "spate/js/restore/place/trash"
        autoload :Trees, "spate/js/restore/place/trees"
      end
    end
  end
end
