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
      # nothing changed; with them what commands in other projects did to this one, until somebody was told
      # (Store::Edits::News).
      def call(full_names)
        news + changes(full_names)
      end

      private

      # Nearly always there is none, and then nothing is loaded for it.
      def news
        root = @context.layout.root
        return [] unless File.exist?(@context.store.path("news", Store::Bundle.key(root)))

        Store::Edits::News.new(@context.store).of(root).each { |edit| tell(edit) }
      end

      def changes(full_names)
        jobs = @record && !full_names.empty? ? @record.jobs(@context.store) : []
        return [] if jobs.empty?

        differences = Native.check_trees(jobs, @context.processors)
        return [] if differences.empty?

        expected = differences.select { |difference| belongs?(jobs, difference, full_names) }
        expected.empty? ? [] : settle(jobs, expected)
      end

      def settle(jobs, differences)
        Store::Edits.new(@context.store).call(@record, differences, jobs: jobs).each { |edit| tell(edit) }
      end

      # Whether the path is one of a gem in place ("gems/<full name>/..." or
      # "extensions/<platform>/<abi>/<full name>/...") and this manifest answers for it: files of a package that its
      # build changed or removed are the build's.
      def belongs?(jobs, difference, full_names)
        job, manifest, entry, = difference
        destination, manifests = jobs[job]
        path = "#{destination}/#{manifests[manifest].entry(entry)[:path]}".delete_prefix("#{@record.root}/")
        @places ||= full_names.to_h { |name| [name, true] }
        first, *rest = path.split("/")
        return false unless @places.key?(first == "gems" ? rest[0] : rest[2])

        destination == @record.root || builds(jobs).none? { |build| replaces?(build, path) }
      end

      def builds(jobs)
        @builds ||= jobs.select { |destination, _| destination == @record.root }.flat_map(&:last)
      end

      # A folder that the build removed is recorded without what was in it.
      def replaces?(build, path)
        build.include?(path) ||
          Build::Builder.removed(build).any? { |gone| path == gone || path.start_with?("#{gone}/") }
      end

      def tell(edit)
        @context.events.emit(:edited, **edit.to_h)
      end
    end
  end
end
