# frozen_string_literal: true

module Spate
  module Install
    # Installs a bundle from a Gemfile and its lockfile, with Attempt or Bundler. If a variant of a gem turns out to be
    # unusable on this machine, another Attempt uses the next best variant.
    class Installer
      def initialize(location:, settings:, store:, events: Events.new, options: Options.new)
        @context = Context.new(location: location, settings: settings, store: store, events: events, options: options)
        @items = Prepare::Items.new(@context)
        @report = Report.new(events)
      end

      # Returns a Report. If it raises Spate::Error, the bundle and the store are still consistent.
      def run
        started = Util.now
        BundleFolder.lock(@context.layout.root, @context.events) do
          @context.store.lock("store", shared: true) { install }
        end
        @report.seconds = Util.now - started
        @report
      rescue SignalException
        raise Interrupted, "interrupted"
      ensure
        @context.sources.close
        report_healed
      end

      private

      def install
        @context.settings.validate!
        reasons = @context.settings.unsupported.map { |setting| "#{setting.name}: #{setting.reason}" }
        if reasons.empty?
          @context.layout.ask_rubygems
          reasons = attempts(Previous.load(@context))
        end
        ByBundler.new(@context, @report).install(reasons) unless reasons.empty?
      end

      # Returns the reasons why Bundler has to install instead.
      def attempts(previous)
        attempt(previous)
      rescue Specification::WrongRubyError => e
        # No locked variant fits this Ruby or RubyGems. Only Bundler can find another one at the gem's source.
        return [e.message] if e.package&.alternatives&.empty? && !@context.settings.frozen?

        replace(e.package, "does not fit this Ruby or RubyGems", previous.notes) or raise
        retry
      rescue Registry::NotFound => e
        # With an old RubyGems, Bundler writes x86_64-linux into the lockfile although the source has x86_64-linux-gnu.
        replace(@items.known[e.full_name]&.package, "was not found at its source", previous.notes) or raise
        retry
      rescue Planner::MissingPlatform => e
        # Only `bundle install`, not `bundle lock`, adds this machine's platform to a lockfile for another libc.
        raise if @context.settings.frozen?

        [e.message]
      end

      def attempt(previous)
        attempt = Attempt.new(@context, previous, @items, @report)
        plan = attempt.plan
        attempt.plugins(plan).tap { |plugins| attempt.install(plan) if plugins.empty? }
      ensure
        attempt&.stop
      end

      # Like Bundler, replaces a variant that needs a newer Ruby or RubyGems, or was removed from its source, by the
      # next best one. Returns nil if there is none.
      def replace(package, reason, notes)
        return if package.nil? || package.alternatives.empty? || notes.unfit.include?(package.full_name)
        return if package.locked? && @context.settings.frozen?

        @items.known.clear
        @report.warn("#{package.full_name} #{reason}; using #{package.alternatives.first}")
        notes.unfit << package.full_name
      end

      def report_healed
        return if (healed = @context.store.healed.slice!(0..)).empty?

        names = @items.known.to_h { |full_name, item| [item.sha256, full_name] }
        reported = @report.edits.map { |edit| [edit.name, edit.path] }
        healed.reject! { |each| reported.include?([names[each.package], each.path]) }
        Check::HealingReport.lines(healed, names).each { |line| @report.warn(line, hint: Check::HealingReport::HINT) }
      end
    end
  end
end
