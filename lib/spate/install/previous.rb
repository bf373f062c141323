# frozen_string_literal: true

module Spate
  module Install
    # What the previous installs of this bundle left: its record in the store, and their notes.
    class Previous
      # record: Store::BundleRecord, or nil. notes: Commit::Notes, changed by this install.
      attr_reader :record, :notes

      def self.load(context)
        record = Store::BundleRecord.load(context.store, context.layout.root)
        new(context, record, Commit::Notes.parse(record&.notes))
      end

      def initialize(context, record, notes, recovered: false)
        @context = context
        @record = record
        @notes = notes
        @recovered = recovered
      end

      # A Previous whose record has all installed gems, also those of a bundle that another store recorded. in_place:
      # items.
      def complete(in_place)
        packages = in_place.to_h { |item| [item.full_name, item.sha256] }
        found = Store::BundleRecord.find(@context.store, @context.layout.root, packages, @record)
        return self if found.equal?(@record)

        notes.git, _, _, notes.built = Commit::Notes.parse(found.notes).to_a
        Previous.new(@context, found, notes, recovered: true)
      end

      # Whether installed gems (full names) are links and should be copies, or the other way round.
      def links_change?(in_place)
        former = project&.link_method || "hard"
        return former == "copy" && none_copies? unless @context.link_method == :copy

        former != "copy" || record.only(in_place).trees.any?(&:linked?)
      end

      # Writes the bundle's record, unless it would be the same.
      def keep(items, report, relinked:)
        return if report.noop? && record&.notes == notes.to_s && report.edits.empty? && !relinked && !@recovered &&
                  project&.link_method == @context.link_method.to_s

        notes.keep_check(Gemfile::Check.key(@context.location, @context.settings), @context.location.root)
        Commit::RecordWriter.new(@context, record).keep(items, notes.to_s, relinked: relinked)
      end

      private

      # Store::BundleRecord::Project of this application's previous install, or nil.
      def project = record&.project(@context.location.root)

      # Whether no other project in the same folder uses copies, which may be of the same gems.
      def none_copies?
        (record.projects - [project]).none? { |other| other.link_method == "copy" && File.directory?(other.app) }
      end
    end
  end
end
