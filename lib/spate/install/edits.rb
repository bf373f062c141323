# frozen_string_literal: true

module Spate
  module Install
    # Files of installed gems that somebody changed in place. Each is named; where the change went through a link into
    # the store, the store and the other projects get the right content again and the change stays where it was made.
    class Edits
      def initialize(context, record)
        @context = context
        @record = record
      end

      # full_names: of the gems that are in place; others may well be missing. Array of Store::Edits::Edit, empty where
      # nothing changed.
      def call(full_names)
        jobs = @record && !full_names.empty? ? @record.jobs(@context.store) : []
        return [] if jobs.empty?

        differences = Native.check_trees(jobs, processors)
        return [] if differences.empty?

        expected = differences.select { |difference| expected?(jobs, difference, full_names) }
        return [] if expected.empty?

        Store::Edits.new(@context.store).call(@record, expected, jobs: jobs).each { |edit| tell(edit) }
      end

      private

      # Whether the path belongs to a gem in place, and to this manifest: a build may change files of its own package,
      # and its manifest, relative to the bundle's root, then answers for them.
      def expected?(jobs, difference, full_names)
        job, manifest, entry, = difference
        destination, manifests = jobs[job]
        path = manifests[manifest].entry(entry)[:path]
        return belongs?(path, full_names) if destination == @record.root

        tree = destination.delete_prefix("#{@record.root}/")
        belongs?(tree, full_names) && builds(jobs).none? { |build| replaces?(build, "#{tree}/#{path}") }
      end

      def belongs?(path, full_names)
        @places ||= full_names.to_h { |name| [name, true] }
        first, *rest = path.split("/")
        @places.key?(first == "gems" ? rest[0] : rest[2])
      end

      def replaces?(build, path) = build.include?(path) || Build::Builder.removed(build).include?(path)

      def builds(jobs)
        @builds ||= jobs.select { |destination, _| destination == @record.root }.flat_map(&:last)
      end

      def tell(edit)
        @context.events.emit(:edited, **edit.to_h)
      end

      def processors
        require "etc"
        Etc.nprocessors
      end
    end
  end
end
