# frozen_string_literal: true

module Spate
  # The packages of a bundle on this machine.
  class Plan
    # @return [Array<Package>] in the order of the lockfile
    attr_reader :packages

    # @!visibility private
    def initialize(packages)
      @packages = packages
    end

    # @return [Array<String>] warnings, which do not prevent the installation
    def warnings = [unlocked, other_algorithms].compact

    private

    def unlocked
      names = packages.reject(&:locked?)
      return if names.empty?

      "the lockfile names only the platform ruby; using the variants of the source for: #{names.join(", ")} " \
        "(`spate lock --normalize-platforms` records the choice)"
    end

    def other_algorithms
      names = packages.select { |package| package.digests.any? && !package.sha256 }
      "CHECKSUMS has another digest than SHA-256 for #{names.join(", ")}" if names.any?
    end
  end
end
