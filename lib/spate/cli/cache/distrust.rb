# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache distrust NAME`
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
          others = words.reject { |word| word.start_with?("#{name}:") }
          raise Unknown.new(name, words.map { |word| word[/[^:]*/] }) if others == words

          kept.value = others.empty? ? nil : others.join(" ")
          0
        end
      end
    end
  end
end
