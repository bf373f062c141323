# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Warnings about damaged objects in the store. They hint at checking the other objects too, which may have the
      # same damage.
      module HealingReport
        NAMED = 3
        OUTCOMES = { healed: "restored from its archive", dropped: "removed, to be fetched or built again" }.freeze
        HINT = "check the other objects: spate store verify"

        module_function

        # Returns lines of text. healed: [Store::Healing::Healed]. names: {SHA-256 of an archive => full name}.
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
