# frozen_string_literal: true

module Spate
  module Install
    # What of an installed bundle others may have: its builds, and archives from sources that ask for no password.
    class Shareable
      PRIVATE = "its source asks for credentials"

      # context: Context. record: Store::BundleRecord of the bundle.
      def initialize(context, record)
        @context = context
        @record = record
      end

      # [Build::Cache::Entry], each as the store has it.
      def builds
        (own.builds + checkout_builds).filter_map do |key|
          @context.store.shelves.lazy.filter_map { |store| Build::Cache::Entry.find(store, key) }.first
        end
      end

      # Under which key the store may have what Bundler said of the Gemfile: [String].
      def verdicts = notes.verdicts(@context.location.root)

      # [[full name, SHA-256 of the archive]]
      def archives = gems.reject { |name, _| withheld.key?(name) }.to_a

      # Full names of those into which nobody has written: what was compiled of them says no more than they do.
      def untouched
        changes = Prepare::LocalChanges.new(@context, @record)
        archives.map(&:first).select { |name| changes.of(name).empty? }
      end

      # {full name => why not}, of archives.
      def withheld
        @withheld ||= gems.keys.reject { |name| open?(sources[name]) }.to_h { |name| [name, PRIVATE] }
      end

      private

      def notes = @notes ||= Commit::Notes.parse(@record.notes)

      # The bundle may be in one place with those of other projects, which may have other keys and secrets.
      def own = @own ||= @record.only(sources.keys)

      # Keys of builds in this project's git checkouts.
      def checkout_builds
        names = packages.select(&:git?).map { |one| Git::Names.checkout(one.source.uri, one.source.revision) }
        notes.built.map(&:split).select { |name, _| names.include?(name) }.map(&:last)
      end

      # {full name => SHA-256}, of gems that came from a source.
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
