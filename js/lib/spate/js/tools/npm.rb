# frozen_string_literal: true

module Spate
  module JS
    module Tools
      class Npm < Tool
        def arguments
          ["ci", *omit.map { |kind| "--omit=#{kind}" }, *("--ignore-scripts" if silent?), "--no-audit", "--no-fund"]
        end

        def permission
          lists? ? "npm approve-scripts NAME" : "npm 12 keeps to the project's allowScripts; for one: npm rebuild NAME"
        end

        def reason = "npm before 12 would run each that no list denies"

        def states = ["node_modules/.package-lock.json"]

        private

        # Since npm 12 scripts that no list allows do not run; in some versions of 11 lists only deny, older ones have
        # none.
        def lists? = (@major ||= Program.new(self).major.to_i) >= 12 || refuses?

        # Whether npm refuses scripts that no list names, or prints its usage, which --ignore-scripts would prevent.
        def refuses?
          settings = Configuration.of(project, env)
          declared = Configuration::NpmFolder.new(env).definitions.to_s
          settings["usage"] == true ||
            (settings["strict-allow-scripts"] == true && declared.include?("strict-allow-scripts"))
        end
      end
    end
  end
end
