# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache distrust NAME`: removes the key under all its names. Prints the remaining signers.
      class Distrust < Subcommand
        # No trusted signer has that name.
        class Unknown < Error
          EXIT_CODE = 14

          # file: the configuration file, for display. names: the trusted signers from all settings.
          def initialize(name, file, names)
            here = "trusted here: #{names.join(", ")}; they may come from --global or SPATE_CACHE_KEYS"
            super("no trusted signer called #{name.inspect} in #{file}",
                  hint: names.empty? ? "spate cache trust NAME:KEY" : here)
          end
        end

        def run
          name, = operands!("NAME")
          kept = setting(RemoteCache::Trust::SETTING)
          words = RemoteCache::Trust.words(kept.value)
          keys = words.select { |word| word.start_with?("#{name}:") }.map { |word| key(word) }
          raise Unknown.new(name, kept.file, trusted) if keys.empty?

          others = words.reject { |word| keys.include?(key(word)) }
          kept.value = others.empty? ? nil : others.join(" ")
          tell_trusted
          terminal.hint "spate install, which rebuilds what #{name} signed"
          0
        end

        private

        # The key's id, since a key may have several names and spellings. An invalid key is compared as text.
        def key(word)
          RemoteCache::Trust::PublicKey.parse(word, RemoteCache::Trust::SETTING).id
        rescue Settings::InvalidValue
          word
        end
      end
    end
  end
end
