# frozen_string_literal: true

module Spate
  module Install
    # The parts of an installed bundle that can be sent to a team's cache: its builds, and archives from sources without
    # a password.
    class Shareable
      PRIVATE = "its source requires credentials"

      # context: Context. record: Store::BundleRecord of the bundle.
      def initialize(context, record)
        @context = context
        @record = record
      end

      # [Build::Cache::Entry] of the bundle's builds in the store.
      def builds
        (own.builds + checkout_builds).filter_map do |key|
          @context.store.all_stores.lazy.filter_map { |store| Build::Cache::Entry.find(store, key) }.first
        end
      end

      # [String]: keys under which the store may contain Gemfile checks.
      def checks = notes.checks(@context.location.root)

      # [[full name, SHA-256 of the archive]]
      def archives = gems.reject { |name, _| withheld.key?(name) }.to_a

      # Full names of gems without local changes. Their compile caches contain only code from the package, so they can
      # be shared.
      def untouched
        changes = Prepare::LocalChanges.new(@context, @record)
        archives.map(&:first).select { |name| changes.of(name).empty? }
      end

      # {full name => reason} of archives that are not shared.
      def withheld
        @withheld ||= gems.keys.reject { |name| open?(sources[name]) }.to_h { |name| [name, PRIVATE] }
      end

      private

      def notes = @notes ||= Previous::Notes.parse(@record.notes)

      # Includes only this project's gems: other projects in the same folder may have other keys and secrets.
      def own = @own ||= @record.only(sources.keys)

      # Keys of builds in this project's git checkouts.
      def checkout_builds
        names = packages.select(&:git?).map { |one| Git::Names.checkout(one.source.uri, one.source.revision) }
        notes.built.map(&:split).select { |name, _| names.include?(name) }.map(&:last)
      end

      # {full name => SHA-256} of gems from a source.
      def gems
        @gems ||= own.trees.filter_map do |tree|
          name = tree.path[%r{\Agems/(.+)\z}, 1]
          sha256 = Store::PackageKey.sha256(tree.packages.first) if tree.packages.any?
          [name, sha256] if name && sha256 && sources[name]
        end.to_h
      end

      # {full name => addresses of its source}
      def sources
        @sources ||= packages.select(&:gem?).to_h { |package| [package.full_name, package.source.remotes] }
      end

      def packages
        @packages ||= Prepare::Resolution.new(@context, unfit: notes.unfit, resolves: false).plan.packages
      end

      def open?(addresses)
        known = @context.sources.remotes
        addresses.none? { |address| known.spelled?(address) || known.for(address).authorization }
      end
    end
  end
end
