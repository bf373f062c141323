# frozen_string_literal: true

module Spate
  module Install
    module Check
      # What is said about objects that were found damaged on the way. Whoever damaged some may have damaged others that
      # nobody looked at.
      module HealingReport
        NAMED = 3
        OUTCOMES = { healed: "healed from its archive", dropped: "dropped, to be fetched or built again" }.freeze
        HINT = "`spate store verify` looks at all others"

        module_function

        # healed: [Store::Healing::Healed]; names: {SHA-256 of an archive => full name}. Lines.
        def lines(healed, names)
          healed.group_by { |each| [each.package, each.state, each.outcome] }.map do |(package, state, outcome), all|
            "#{names[package] || "package #{package[0, 12]}"}: the store's #{files(all.map(&:path).uniq)} " \
              "#{state}: #{OUTCOMES.fetch(outcome)}"
          end
        end

        def files(paths)
          more = paths.size - NAMED
          "#{paths.first(NAMED).join(", ")}#{" and #{more} more" if more.positive?} #{paths.one? ? "was" : "were"}"
        end
      end
    end
  end
end
