# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Credentials without an address: npm refuses to work with them.
      class InvalidAuthError < Error
        EXIT_CODE = 12

        # problems: [[file, key], ...]. place: "//host/" of the registry.
        def initialize(problems, place)
          named = problems.map { |file, key| "#{key} in #{file}" }.uniq
          super("#{named.join(" and ")} #{named.one? ? "does" : "do"} not say which registry it is for",
                hint: "write #{place}:#{problems.last.last} instead (`npm config fix` does it)")
        end
      end

      # A variable in a registry's address that the repository has: pnpm sends no secret of the environment to a host of
      # somebody's choice, and asks no other registry instead.
      class UnexpandedRegistryError < Error
        EXIT_CODE = 12

        def initialize(key, file)
          super("#{key} in #{file} has a variable, which pnpm replaces in no file of the project",
                hint: "write the address as it is, or set it in the user's .npmrc")
        end
      end

      # No file names a registry, and there is no npm that would have a default.
      class UnknownRegistryError < Error
        EXIT_CODE = 12

        def initialize(tool)
          super("no registry is set, and #{tool} is not here to tell its default one",
                hint: "name it in the project's .npmrc: registry=ADDRESS")
        end
      end
    end
  end
end
