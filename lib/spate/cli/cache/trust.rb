# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache trust NAME:KEY`: of a name that is known the new key takes the place.
      class Trust < Subcommand
        def run
          key = RemoteCache::Trust::PublicKey.parse(operands!("NAME:KEY").first, "the operand")
          kept = setting(RemoteCache::Trust::SETTING)
          before, others = RemoteCache::Trust.words(kept.value).partition { |word| word.start_with?("#{key.name}:") }
          kept.value = [*others, key.word].join(" ")
          terminal.tell "taken for #{key.name}: what the key with the id #{key.id} signs"
          terminal.tell "the key that #{key.name} had before is trusted no more" if (before - [key.word]).any?
          tell_trusted
          0
        end
      end
    end
  end
end
