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

      # A variable in a registry's address in a file of the repository. pnpm does not expand it, so that a repository
      # cannot send secrets to another host, and does not fall back to another registry.
      class UnexpandedRegistryError < Error
        EXIT_CODE = 12

        def initialize(key, file)
          super("#{key} in #{file} has a variable, which pnpm replaces in no file of the project",
                hint: "write the address as it is, or set it in the user's .npmrc")
        end
      end

      # No file names a registry, no tool is there that would have a default, and the lockfile does not say where a
      # package is from.
      class UnknownRegistryError < Error
        EXIT_CODE = 12
        UNKNOWN = "no registry is set, and no npm, pnpm or yarn is on the PATH to tell its default one"
        HINT = "name it in the project's .npmrc: registry=ADDRESS"

        # name: of the package.
        def initialize(name) = super("#{name}: #{UNKNOWN}", hint: HINT)
      end
    end
  end
end
