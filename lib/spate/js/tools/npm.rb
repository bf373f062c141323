# frozen_string_literal: true

module Spate
  module JS
    module Tools
      class Npm < Tool
        def arguments
          ["ci", *omit.map { |kind| "--omit=#{kind}" }, *("--ignore-scripts" if silent?), "--no-audit", "--no-fund"]
        end

        def permission
          lists? ? "npm approve-scripts NAME" : "it keeps no list of those; for one: npm rebuild NAME"
        end

        def states = ["node_modules/.package-lock.json"]

        private

        # Known to npm 12, and to some of 11; one that does not know it would run all.
        def lists? = (@major ||= Program.new(self).major.to_i) >= 12
      end
    end
  end
end
