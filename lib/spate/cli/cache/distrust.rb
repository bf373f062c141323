# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache distrust NAME`: the key goes, whatever else it is called. Tells who is trusted then.
      class Distrust < Subcommand
        # Nobody of that name is trusted.
        class Unknown < Error
          EXIT_CODE = 14

          def initialize(name, names)
            super("nobody called #{name.inspect} is trusted here",
                  hint: names.empty? ? "spate cache trust NAME:KEY" : "names here: #{names.join(", ")}")
          end
        end

        def run
          name, = operands!("NAME")
          kept = setting(RemoteCache::Trust::SETTING)
          words = kept.value.to_s.split(/[\s,]+/)
          keys = words.select { |word| word.start_with?("#{name}:") }.map { |word| key(word) }
          raise Unknown.new(name, words.map { |word| word[/[^:]*/] }) if keys.empty?

          others = words.reject { |word| keys.include?(key(word)) }
          kept.value = others.empty? ? nil : others.join(" ")
          tell_who_is_left
          terminal.hint "spate install, which builds again what #{name} signed"
          0
        end

        private

        # It may have other names.
        def key(word) = word.split(":")[1]

        # Where the application names nobody the user's own setting counts, and SPATE_CACHE_KEYS always does.
        def tell_who_is_left
          names = RemoteCache::Trust.from(settings).keys.map(&:name)
          terminal.tell(names.empty? ? "nobody is trusted here now" : "trusted here now: #{names.join(", ")}")
        end
      end
    end
  end
end
