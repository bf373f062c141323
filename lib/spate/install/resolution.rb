# frozen_string_literal: true

module Spate
  module Install
    # Which packages the bundle is to have: the lockfile, as far as its Gemfile agrees with it. Where it does not, or
    # where there is no lockfile, Bundler resolves; never Spate.
    class Resolution
      def initialize(context)
        @context = context
        @location = context.location
        @settings = context.settings
      end

      # Lockfile. Bundler makes it where there is none. Raises DisagreementError where it must not.
      def lockfile
        @lockfile ||= begin
          resolve("there is no lockfile") unless @location.lockfile?
          read
        end
      end

      # Whether the Gemfile's facts are known without asking Bundler; begins to ask where they are not.
      def facts?
        lockfile
        @facts ||= Gemfile::Verdict.recall(store: @context.store, location: @location, settings: @settings)
        @evaluation ||= Gemfile::Verdict.start(store: @context.store, location: @location, settings: @settings) unless @facts
        !@facts.nil?
      end

      # How Gemfile and lockfile disagree, as one line, or nil. Resolves nothing.
      def difference
        return "there is no lockfile" unless @location.lockfile?

        lockfile
        known.difference unless known.agrees?
      end

      # Whether it is not worth while to fetch before the Gemfile is known.
      def doubtful? = @lockfile.specs.empty?

      # Plan, after Bundler resolved anew where Gemfile and lockfile disagree.
      def plan
        lockfile
        resolve_again unless known.agrees?
        planner.plan
      end

      private

      def known
        facts? ? @facts : @facts = @evaluation.value
      end

      def resolve_again
        resolve(@facts.difference)
        @lockfile = read
        @facts = @evaluation = nil
        known
      end

      def planner
        Planner.new(lockfile: @lockfile, gemfile: @facts, settings: @settings, available: method(:available))
      end

      # What a source offers of a gem; asked only where a lockfile leaves the platform open.
      def available(name, source = nil)
        @client ||= Registry::Client.new(settings: @settings, events: @context.events, store: @context.store, jobs: 1,
                                         local: @context.options.local)
        @client.versions(name, source)
      end

      def read
        Lockfile.parse(File.binread(@location.lockfile), path: @location.lockfile)
      end

      def resolve(difference)
        if @settings.frozen?
          raise DisagreementError.new("the Gemfile and the lockfile disagree, and the bundle is frozen: #{difference}",
                                      hint: "run `spate lock` where the lockfile may change, and commit it")
        end

        @context.events.emit(:resolving, reason: difference)
        Gemfile::HandOver.lock(@location, @settings)
      end
    end
  end
end
