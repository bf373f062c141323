# frozen_string_literal: true

module Spate
  class Planner
    # What a user should know about a plan that can be carried out nevertheless.
    class Warnings
      def initialize(packages)
        @packages = packages
      end

      # -> [String]
      def to_a = [unlocked, other_algorithms].compact

      private

      def unlocked
        names = @packages.reject(&:locked?).map(&:full_name)
        return if names.empty?

        "the lockfile names only platform ruby; taken by what the source offers: #{names.join(", ")} " \
          "(`bundle lock --normalize-platforms` records the choice)"
      end

      def other_algorithms
        names = @packages.select { |package| package.digests.any? && !package.sha256 }.map(&:full_name)
        return if names.empty?

        "CHECKSUMS holds no SHA-256 digest, but another, of #{names.join(", ")}"
      end
    end
  end
end
