# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Checks the bundle against its lockfile. Changes nothing.
      class Checker
        # missing: full names of gems that are not installed. edits: [Store::Edits::Edit]. difference: a description of
        # how Gemfile and lockfile disagree, or nil. own_copies: [OwnCopies::OwnCopy]. distrusted: full names of gems
        # installed with a build whose signer is not trusted here.
        Result = Struct.new(:missing, :edits, :difference, :total, :own_copies, :distrusted, keyword_init: true) do
          def initialize(missing: [], edits: [], difference: nil, total: 0, own_copies: [], distrusted: []) = super

          def ok? = difference.nil? && (missing + distrusted).empty? && edits.none? { |edit| edit.kind == :missing }
        end

        def initialize(location:, settings:, store:, events: Events.new)
          @context = Context.new(location: location, settings: settings, store: store, events: events)
        end

        def run
          resolution = Prepare::Resolution.new(@context, resolves: false)
          difference = resolution.difference
          return Result.new(difference: difference) if difference

          packages = resolution.plan.packages
          missing = missing(packages)
          there = packages.to_h { |package| [package.full_name, package.sha256] }.except(*missing)
          record = Store::BundleRecord.find(@context.store, @context.layout.root, there)
          Result.new(missing: missing, total: packages.size, distrusted: distrusted(packages) & there.keys,
                     edits: Edits.new(@context, record, there.keys).find,
                     own_copies: OwnCopies.new(@context, record&.only(there.keys)).find)
        end

        private

        def distrusted(packages)
          distrusted = Prepare::Distrusted.new(@context)
          packages.select { |package| distrusted.include?(package) }.map(&:full_name)
        end

        def missing(packages)
          presence = Presence.new(@context)
          packages.reject { |package| presence.exist?(package) }.map(&:full_name)
        end
      end
    end
  end
end
