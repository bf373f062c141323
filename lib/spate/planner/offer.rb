# frozen_string_literal: true

module Spate
  class Planner
    # What a gem source offers of one gem, for lockfiles that name only platform "ruby".
    class Offer
      # available: callable (name, source) -> [{ version:, platform:, ruby:, rubygems: }]
      # running: Running
      def initialize(available, platform, running)
        @available = available
        @choice = Platform::Choice.new(platform)
        @running = running
      end

      # The row to take for the locked spec, or nil where the locked variant stays.
      def choose(spec, unfit)
        rows = @available.call(spec.name, spec.source).select { |row| row[:version].to_s == spec.version }
        closest = @choice.closest(rows.map { |row| Candidate.new(row[:platform].to_s, row) }).map(&:row)
        closest.reverse.find do |row|
          @running.fits?(row[:ruby], row[:rubygems]) && !unfit.include?(full_name(spec, row))
        end
      end

      Candidate = Struct.new(:platform, :row)
      private_constant :Candidate

      private

      def full_name(spec, row) = "#{spec.full_name}-#{row[:platform]}"
    end
  end
end
