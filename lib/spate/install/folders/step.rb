# frozen_string_literal: true

module Spate
  module Install
    module Folders
      # Installs gems without a gem source: git checkouts and folders of the application.
      class Step
        # in_folders:: number of gems in folders of the application
        # checkouts:: names of the complete git checkouts
        # made:: number of gems from checkouts created in this run
        # built, reused:: Build::Results of extensions in checkouts
        # shared:: number of reused builds that came from the team's cache in this run
        # kept:: see Previous::Notes#built
        # for_bundler:: sources with a checkout in vendor/cache that Bundler must install
        Result = Struct.new(:in_folders, :checkouts, :made, :built, :reused, :shared, :kept, :for_bundler)

        # finished: names of git checkouts completed by an earlier install. items: all items of the plan, which are
        # installed. record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, finished, items, record)
          @context = context
          @finished = finished
          @items = items
          @record = record
        end

        # packages: those with git and path sources. facts: Gemfile::Facts. Returns a Result.
        def call(packages, facts)
          paths = packages.select(&:path?).each { |package| assert_exists(package) }
          PathStep.new(@context).call(facts.path_specs, paths.map(&:name)) unless paths.empty?
          result = Result.new(paths.size, [], 0, [], [], 0, [], [])
          checkouts = packages.select(&:git?).group_by(&:source)
          return result if checkouts.empty?

          step = GitStep.new(@context, @finished, @items, @record, result)
          checkouts.each { |source, own| step.call(source, own) }
          result
        ensure
          step&.stop
        end

        private

        def assert_exists(package)
          presence = Check::Presence.new(@context)
          raise MissingFolderError.new(package, presence.folder(package.source)) unless presence.exist?(package)
        end
      end
    end
  end
end
