# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Whether the bundle is as its lockfile says. Changes nothing.
      class Checker
        # missing: full names that are not installed. edits: as Edits tells them. difference: how Gemfile and lockfile
        # disagree, or nil. distrusted: full names of gems that are there, with a build of a signer who is not
        # trusted here.
        Result = Struct.new(:missing, :edits, :difference, :total, :distrusted, keyword_init: true) do
          def ok? = difference.nil? && (missing + distrusted).empty? && edits.none? { |edit| edit.kind == :missing }
        end

        def initialize(location:, settings:, store:, events: Events.new)
          @context = Context.new(location: location, settings: settings, store: store, events: events)
        end

        def run
          resolution = Prepare::Resolution.new(@context)
          difference = resolution.difference
          return Result.new(missing: [], edits: [], difference: difference, total: 0, distrusted: []) if difference

          packages = resolution.plan.packages
          missing = missing(packages)
          there = packages.map(&:full_name) - missing
          record = Store::BundleRecord.find(@context.store, @context.layout.root, there)
          edits = Edits.new(@context, record, there).find
          Result.new(missing: missing, edits: edits, total: packages.size, distrusted: distrusted(packages) & there)
        end

        private

        def distrusted(packages)
          distrusted = Prepare::Distrusted.new(@context)
          packages.select { |package| distrusted.include?(package) }.map(&:full_name)
        end

        def missing(packages)
          presence = Presence.new(@context)
          packages.reject { |package| presence.there?(package) }.map(&:full_name)
        end
      end
    end
  end
end
