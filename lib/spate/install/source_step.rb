# frozen_string_literal: true

module Spate
  module Install
    # Gems that come from no gem source: git checkouts and folders of the application.
    class SourceStep
      NOTE = "git\t"

      # record: Store::Bundle of the install before, or nil.
      def initialize(context, derived_key, record)
        @context = context
        @derived_key = derived_key
        @record = record
      end

      # facts: Gemfile::Facts. Answers notes for the bundle's record: a line for each checkout that is complete.
      def call(plan, facts)
        paths = plan.packages.select(&:path?)
        PathStep.new(@context, @derived_key).call(facts.path_specs, paths.map(&:name)) unless paths.empty?
        checkouts = plan.packages.select(&:git?).group_by(&:source)
        step = GitStep.new(@context, @derived_key, finished)
        checkouts.map { |source, packages| "#{NOTE}#{step.call(source, packages)}\n" }.join
      end

      private

      def finished
        @record ? @record.notes.lines(chomp: true).map { |line| line.delete_prefix(NOTE) } : []
      end
    end
  end
end
