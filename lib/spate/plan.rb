# frozen_string_literal: true

module Spate
  # What a bundle on this machine consists of. Data only: nothing is fetched, read or written by it.
  class Plan
    # Package, in the order of the lockfile.
    attr_reader :packages
    # Lines for the user (String), facts first.
    attr_reader :warnings
    # Names of the gems that the lockfile holds for this platform and the bundle leaves out: their group is not
    # wanted, or their platform is another.
    attr_reader :excluded

    def initialize(packages:, warnings: [], excluded: [], speculative: false)
      @packages = packages
      @warnings = warnings
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

    private

    def by_name = @by_name ||= @packages.to_h { |package| [package.name, package] }
  end
end
