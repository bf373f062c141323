# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache off`
      class Off < Subcommand
        def run
          operands!
          kept = setting("spate.cache")
          kept.value ? kept.value = nil : terminal.tell("no cache is remembered here")
          0
        end
      end
    end
  end
end
