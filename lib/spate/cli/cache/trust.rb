# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache trust NAME:KEY`: replaces an existing key of that name.
      class Trust < Subcommand
        def run
          key = RemoteCache::Trust::PublicKey.parse(operands!("NAME:KEY").first, "the operand")
          kept = setting(RemoteCache::Trust::SETTING)
          before, others = RemoteCache::Trust.words(kept.value).partition { |word| word.start_with?("#{key.name}:") }
          kept.value = [*others, key.word].join(" ")
          terminal.tell "trusting #{key.name}: builds signed by the key with the id #{key.id}"
          terminal.tell "the previous key of #{key.name} is no longer trusted" if (before - [key.word]).any?
          tell_trusted
          0
        end
      end
    end
  end
end
