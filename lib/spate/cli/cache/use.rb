# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache use ADDRESS`
      class Use < Subcommand
        def run
          address = RemoteCache::Address.parse(operands!("ADDRESS").first)
          setting("spate.cache").value = address.lasting
          terminal.hint("spate cache trust NAME:KEY") if settings["spate.cache_keys"].to_s.empty?
          0
        end
      end
    end
  end
end
