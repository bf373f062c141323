# frozen_string_literal: true

module Spate
  class Planner
    # What a gem source offers of one gem, for lockfiles that name only platform "ruby".
    class Offer
      # available: callable (name, source) -> [{ version:, platform:, ruby:, rubygems:, sha256: }]
      def initialize(available, platform, ruby_version, rubygems_version)
        @available = available
        @choice = Platform::Choice.new(platform)
        @ruby_version = ruby_version
        @rubygems_version = rubygems_version
      end

      # The row to take for the locked spec, or nil where the locked variant stays.
      def choose(spec, unfit)
        rows = @available.call(spec.name, spec.source).select { |row| row[:version].to_s == spec.version }
        closest = @choice.closest(rows.map { |row| Candidate.new(row[:platform].to_s, row) }).map(&:row)
        closest.reverse.find { |row| fits?(row) && !unfit.include?(full_name(spec, row)) }
      end

      Candidate = Struct.new(:platform, :row)
      private_constant :Candidate

      private

      def full_name(spec, row) = "#{spec.full_name}-#{row[:platform]}"

      def fits?(row)
        satisfied?(row[:ruby], @ruby_version) && satisfied?(row[:rubygems], rubygems_version)
      end

      def rubygems_version = @rubygems_version ||= RubygemsVersion.current

      def satisfied?(requirement, version)
        requirement.nil? || version.nil? || Requirement.parse(requirement).satisfied_by?(version)
      end
    end
  end
end
