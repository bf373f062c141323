# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache distrust NAME`: removes the key under all of its names. Prints the remaining signers.
      class Distrust < Subcommand
        # No trusted signer has that name.
        class Unknown < Error
          EXIT_CODE = 14

          # file: in words; names: of those who are trusted, wherever it says so.
          def initialize(name, file, names)
            here = "trusted here now: #{names.join(", ")}; --global and SPATE_CACHE_KEYS may name others than that file"
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
          terminal.hint "spate install, which builds again what #{name} signed"
          0
        end

        private

        # Its id: it may have other names, and be spelled otherwise. What is no key is itself.
        def key(word)
          RemoteCache::Trust::PublicKey.parse(word, RemoteCache::Trust::SETTING).id
        rescue Settings::InvalidValue
          word
        end
      end
    end
  end
end
