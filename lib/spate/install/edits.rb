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

      # Array of Store::Edits::Edit, empty where nothing changed.
      def call
        jobs = @record ? @record.jobs(@context.store) : []
        return [] if jobs.empty?

        differences = Native.check_trees(jobs, processors)
        differences = differences.reject { |difference| replaced_by_build?(jobs, difference) } unless differences.empty?
        return [] if differences.empty?

        Store::Edits.new(@context.store).call(@record, differences).each { |edit| tell(edit) }
      end

      private

      # A build may change files of its own package: the build's manifest, relative to the bundle's root, answers for
      # them.
      def replaced_by_build?(jobs, difference)
        job, manifest, entry, = difference
        return false if @record.trees[job]&.path.to_s.empty?

        destination, manifests = jobs[job]
        path = "#{destination.delete_prefix("#{@record.root}/")}/#{manifests[manifest].entry(entry)[:path]}"
        built(jobs).any? { |build| build.include?(path) }
      end

      def built(jobs)
        @built ||= jobs.select { |destination, _| destination == @record.root }.flat_map(&:last)
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
