# frozen_string_literal: true

module Spate
  # What a bundle on this machine consists of. Data only: nothing is fetched, read or written by it.
  class Plan
    # Package, in the order of the lockfile.
    attr_reader :packages
    # Names of the gems that the lockfile holds for this platform and the bundle leaves out: their group is not
    # wanted, or their platform is another.
    attr_reader :excluded

    def initialize(packages:, excluded: [], speculative: false)
      @packages = packages
      @excluded = excluded
      @speculative = speculative
    end

    # Whether the Gemfile was not known yet, so that the plan holds all that may be wanted.
    def speculative? = @speculative
    def size = @packages.size

    # The package of that name, or nil.
    def [](name) = by_name[name]
    def include?(name) = by_name.key?(name)
    def each(&) = @packages.each(&)

    # What a user should know about a plan that can be carried out nevertheless: lines, facts first.
    def warnings = [unlocked, other_algorithms].compact

    private

    def unlocked
      names = packages.reject(&:locked?)
      return if names.empty?

      "the lockfile names only platform ruby; taken by what the source offers: #{names.join(", ")} " \
        "(`bundle lock --normalize-platforms` records the choice)"
    end

    def other_algorithms
      names = packages.select { |package| package.digests.any? && !package.sha256 }
      "CHECKSUMS holds no SHA-256 digest, but another, of #{names.join(", ")}" if names.any?
    end

    def by_name = @by_name ||= @packages.to_h { |package| [package.name, package] }
  end
end
