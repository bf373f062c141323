# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Whether the bundle is as its lockfile says. Changes nothing.
      class Checker
        # missing: full names that are not installed. edits: as Edits tells them. difference: how Gemfile and lockfile
        # disagree, or nil.
        Result = Struct.new(:missing, :edits, :difference, :total, keyword_init: true) do
          def ok? = missing.empty? && difference.nil? && edits.none? { |edit| edit.kind == :missing }
        end

        def initialize(location:, settings:, store:, events: Events.new)
          @context = Context.new(location: location, settings: settings, store: store, events: events)
        end

        def run
          resolution = Prepare::Resolution.new(@context)
          difference = resolution.difference
          return Result.new(missing: [], edits: [], difference: difference, total: 0) if difference

          packages = resolution.plan.packages
          missing = missing(packages)
          there = packages.map(&:full_name) - missing
          record = Store::BundleRecord.find(@context.store, @context.layout.root, there)
          edits = Edits.new(@context, record, there).find
          Result.new(missing: missing, edits: edits, total: packages.size)
        end

        private

        def missing(packages)
          presence = Presence.new(@context)
          packages.reject { |package| presence.there?(package) }.map(&:full_name)
        end
      end
    end
  end
end
