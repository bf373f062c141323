# frozen_string_literal: true

module Spate
  class Planner
    # Chooses among the variants of a gem at its source, for lockfiles with only the platform "ruby".
    class Available
      # available: callable (name, source); returns [{ version:, platform:, ruby:, rubygems: }]. running: Running
      def initialize(available, platform, running)
        @available = available
        @choice = Platform::Choice.new(platform)
        @running = running
      end

      # The row of the variant to use instead of the locked spec, or nil to use the locked one.
      def choose(spec, unfit)
        rows = @available.call(spec.name, spec.source).select { |row| row[:version].to_s == spec.version }
        candidates = rows.map { |row| Candidate.new(row[:platform].to_s, row[:content_address], row) }
        @choice.closest(known(candidates)).map(&:row).reverse.find do |row|
          fits?(row) && !unfit.include?("#{spec.full_name}-#{row[:content_address] || row[:platform]}")
        end
      end

      Candidate = Struct.new(:platform, :content_address, :row)
      private_constant :Candidate

      private

      # Excludes content-addressed variants for other Ruby versions.
      def known(candidates)
        candidates.reject { |one| one.content_address && !(@running.addresses? && fits?(one.row)) }
      end

      def fits?(row) = @running.fits?(row[:ruby], row[:rubygems])
    end
  end
end
