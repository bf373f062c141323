# frozen_string_literal: true

module Spate
  module Install
    # The results of previous installs of this bundle: its record in the store, and the notes in the record.
    class Previous
      # Data that an install stores in the bundle's record for the next install, as lines `key<TAB>value`. Lines of
      # other projects in the same folder are preserved.
      #
      # git:: names of complete git checkouts
      # unfit:: full names of packages that are incompatible with this Ruby or RubyGems
      # check:: for each project, the key of its stored Gemfile check, followed by a space and the project's folder
      # built:: for each build in a checkout, the checkout's name, a space, and the key of the build in the store
      Notes = Struct.new(:git, :unfit, :check, :built) do
        def self.parse(text)
          notes = new([], [], [], [])
          text.to_s.each_line(chomp: true) do |line|
            key, value = line.split("\t", 2)
            notes[key] << value if value && members.include?(key.to_sym)
          end
          notes
        end

        # names: this project's complete checkouts. folder: the folder of all checkouts. A name with spaces means a
        # checkout in a project's vendor/cache (VendoredGit#sign).
        def keep_git(names, folder)
          own = names.map { |name| name[/\S+/] }
          kept = git.select do |name|
            next names.include?(name) if own.include?(name[/\S+/])

            name.include?(" ") || File.directory?("#{folder}/#{name}")
          end
          self.git = kept | names
        end

        def keep_check(key, app)
          app = Store::Text.path(app)
          others = check.select { |line| (other = line[/ (.+)/, 1]) && other != app && File.directory?(other) }
          self.check = ["#{key} #{app}", *others]
        end

        # Keys of this project's stored Gemfile checks.
        def checks(app)
          ending = " #{Store::Text.path(app)}"
          check.filter_map { |line| line.delete_suffix(ending) if line.end_with?(ending) }
        end

        # lines: checkouts with builds of this run. Lines of other existing checkouts are preserved.
        def keep_built(lines)
          anew = lines.map { |line| line[/\S+/] }
          self.built = lines + built.select { |line| (git - anew).include?(line[/\S+/]) }
        end

        def to_s = members.flat_map { |key| self[key].map { |value| "#{key}\t#{value}\n" } }.join
      end

      # record: Store::BundleRecord, or nil. notes: Notes, changed by this install.
      attr_reader :record, :notes

      def self.load(context)
        record = Store::BundleRecord.load(context.store, context.layout.root)
        new(context, record, Notes.parse(record&.notes))
      end

      def initialize(context, record, notes, recovered: false)
        @context = context
        @record = record
        @notes = notes
        @recovered = recovered
      end

      # A Previous whose record contains all installed gems, even if another store has the bundle's record. in_place:
      # [Item].
      def complete(in_place)
        packages = in_place.to_h { |item| [item.full_name, item.sha256] }
        found = Store::BundleRecord.find(@context.store, @context.layout.root, packages, @record)
        return self if found.equal?(@record)

        notes.git, _, _, notes.built = Notes.parse(found.notes).to_a
        Previous.new(@context, found, notes, recovered: true)
      end

      # Whether installed gems are links but should be copies, or the reverse. in_place: their full names.
      def links_change?(in_place)
        former = project&.link_method || "hard"
        return former == "copy" && none_copies? unless @context.link_method == :copy

        former != "copy" || record.only(in_place).trees.any?(&:linked?)
      end

      # Writes the bundle's record, unless it is unchanged.
      def keep(items, report, relinked:)
        return if report.noop? && record&.notes == notes.to_s && report.edits.empty? && !relinked && !@recovered &&
                  project&.link_method == @context.link_method.to_s

        notes.keep_check(Gemfile::Check.key(@context.location, @context.settings), @context.location.root)
        Commit::RecordWriter.new(@context, record).keep(items, notes.to_s, relinked: relinked)
      end

      private

      # The Store::BundleRecord::Project of this application's previous install, or nil.
      def project = record&.project(@context.location.root)

      # Whether no other project in the same folder uses copies, possibly of the same gems.
      def none_copies?
        (record.projects - [project]).none? { |other| other.link_method == "copy" && File.directory?(other.app) }
      end
    end
  end
end
