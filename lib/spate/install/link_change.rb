# frozen_string_literal: true

module Spate
  module Install
    # A bundle of links that is to have copies from now on, or the other way round: its record says how it was made.
    # Each file is made beside itself and renamed over itself, and the record comes last: after a kill the next install
    # goes on. What the user changed stays, and so does what `spate edit` made private.
    class LinkChange
      # record: Store::Bundle; without one there are no links.
      def initialize(context, record)
        @context = context
        @store = context.store
        @record = record
      end

      # Answers how many files were made copies, or links (Integer).
      def call
        @context.link_method == :copy ? copy : link
      end

      private

      def copy
        shared = files.uniq.select { |file| (stat = Store::Object.lstat(file)) && stat.file? && stat.nlink > 1 }
        shared.each { |file| @store.guard(file) { place(file).detach } }.size
      end

      # Files of the packages' folders, also those that no manifest knows; of builds; and the archives.
      def files
        trees, overlays = @record.trees.partition { |tree| !tree.path.empty? }
        trees.flat_map { |tree| [*below(tree.path), "#{@context.layout.cache}/#{File.basename(tree.path)}.gem"] } +
          overlays.flat_map { |tree| tree.manifests(@store).flat_map(&:paths).map { |path| "#{@record.root}/#{path}" } }
      end

      def below(folder)
        Dir.glob("**/*", File::FNM_DOTMATCH, base: "#{@record.root}/#{folder}")
           .map { |path| "#{@record.root}/#{folder}/#{path}" }
      end

      # Archives stay copies: nobody edits them.
      def link
        return 0 unless @context.trees?

        entries.count do |file, entry|
          object = @store.native.object_path(entry[:sha256], entry[:mode])
          next unless unchanged?(file, entry) && unchanged?(object, entry) && !File.identical?(file, object)

          @store.guard(file) { place(file).put(object) }
        end
      end

      # [path, entry] of every file that a manifest names, where the user has not asked for inodes of their own.
      def entries
        private_trees = @record.trees.select(&:private?).map { |tree| "#{@record.destination(tree)}/" }
        all = @record.jobs(@store).flat_map do |destination, manifests|
          manifests.flat_map { |manifest| files_of(manifest, destination) }
        end
        all.reject { |file, _| file.start_with?(*private_trees) }
      end

      def files_of(manifest, destination)
        entries = Array.new(manifest.count) { |index| manifest.entry(index) }
        entries.select { |entry| entry[:type] == :file }.map { |entry| ["#{destination}/#{entry[:path]}", entry] }
      end

      # As every check sees it: size, time and mode.
      def unchanged?(file, entry)
        stat = Store::Object.lstat(file)
        stat&.file? && stat.size == entry[:size] && (stat.mode & 0o777) == entry[:mode] &&
          (stat.mtime.to_i * 1_000_000_000) + stat.mtime.nsec == entry[:mtime_ns]
      end

      def place(file) = Store::Edits::Place.new(bundle: @record, inside: file.delete_prefix("#{@record.root}/"))
    end
  end
end
