# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Data in the store about a project, for its next restore.
      module Memory
        autoload :KeptPlan, "spate/js/restore/memory/kept_plan"
        autoload :Names, "spate/js/restore/memory/names"
        autoload :OwnFile, "spate/js/restore/memory/own_file"
        autoload :Places, "spate/js/restore/memory/places"
        autoload :Reach, "spate/js/restore/memory/reach"
        autoload :Record, "spate/js/restore/memory/record"
        autoload :Sources, "spate/js/restore/memory/sources"
        autoload :Surroundings, "spate/js/restore/memory/surroundings"
      end
    end
  end
end
