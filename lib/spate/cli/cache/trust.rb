# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache trust NAME:KEY`: of a name that is known the new key takes the place.
      class Trust < Subcommand
        def run
          key = RemoteCache::Trust::PublicKey.parse(operands!("NAME:KEY").first, "NAME:KEY")
          kept = setting(RemoteCache::Trust::SETTING)
          others = kept.value.to_s.split(/[\s,]+/).reject { |word| word.start_with?("#{key.name}:") }
          kept.value = [*others, operands.first].join(" ")
          0
        end
      end
    end
  end
end
