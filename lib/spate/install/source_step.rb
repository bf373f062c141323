# frozen_string_literal: true

module Spate
  module Install
    # Gems that come from no gem source: git checkouts and folders of the application.
    class SourceStep
      # How many gems came out of checkouts that were made now, and how many lie in folders of the application.
      attr_reader :from_git, :in_folders
      # Build::Results of extensions in checkouts.
      attr_reader :built, :reused
      # Sources with a checkout in vendor/cache that Bundler has to finish.
      attr_reader :for_bundler

      # finished: names of the git checkouts that an earlier install completed. items: all of the plan, in place.
      # record: Store::Bundle of the install before, or nil.
      def initialize(context, finished, items, record)
        @context = context
        @finished = finished
        @items = items
        @record = record
        @built = @reused = []
      end

      # facts: Gemfile::Facts. Answers the names of all checkouts, complete.
      def call(plan, facts)
        paths = plan.packages.select(&:path?).each { |package| assert_there(package) }
        PathStep.new(@context).call(facts.path_specs, paths.map(&:name)) unless paths.empty?
        checkouts = plan.packages.select(&:git?).group_by(&:source)
        @in_folders = paths.size
        @from_git = 0
        @for_bundler = []
        return [] if checkouts.empty?

        step = GitStep.new(@context, @finished, @items, @record)
        checkouts.filter_map { |source, packages| step.call(source, packages) }.tap do
          @from_git = step.made
          @for_bundler = step.for_bundler
          @built = step.built
          @reused = step.reused
        end
      end

      private

      def assert_there(package)
        presence = Presence.new(@context)
        raise MissingFolderError.new(package, presence.folder(package.source)) unless presence.there?(package)
      end
    end
  end
end
