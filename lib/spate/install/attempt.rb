# frozen_string_literal: true

module Spate
  module Install
    # One attempt to install a bundle. The phases in order, with their inputs and results:
    #
    #   phase             input                          result
    #   plan              lockfile, Gemfile              Plan; fetches missing gems in parallel
    #   Prepare::Items    packages of the plan           [Item]: in place, in the store, or needed
    #   announce          plan, items                    nothing, or raises
    #   complete          items in place                 Previous whose record contains all of them
    #   Check::Edits      items in place, Previous       [Store::Edits::Edit]
    #   Pipeline          items, the record              the same items, all :in_place or :committed
    #   Folders::Step     plan, items, Previous          Result: git gems and path gems
    #   clean             nothing                        names of gems removed, in the report
    #   change_links      items in place, Previous       whether links became copies, or copies links
    #   messages          items                          messages of new gems, in the report
    #   Previous#keep     items                          the bundle's record, written last
    #   finish            Result                         git gems that Bundler completed, added to the record
    class Attempt
      # previous: Previous. items: Prepare::Items. report: Report, filled by this class.
      def initialize(context, previous, items, report)
        @context = context
        @previous = previous
        @items = items
        @report = report
        @resolution = Prepare::Resolution.new(context, unfit: previous.notes.unfit)
      end

      def plan
        lockfile = @resolution.lockfile
        unless @resolution.known?
          GC.enable
          speculate(lockfile) unless @resolution.incomplete?
        end
        @resolution.plan.tap { |plan| forget(plan) }
      end

      # Returns reasons to let Bundler install: plugins run only in Bundler.
      def plugins(plan)
        names = @resolution.facts.plugins + plan.packages.map(&:source).uniq.select { |source| source.type == :plugin }
        names.map { |name| "the plugin #{name}: only Bundler runs plugins" }
      end

      def install(plan)
        items = items(plan, @previous.record)
        announce(plan, items)
        in_place = items.select { |item| item.state == :in_place }
        previous = @previous.complete(in_place)
        @report.edits = Check::Edits.new(@context, previous.record, in_place.map(&:full_name)).restore_all
        run(items, previous.record)
        result = install_folders(plan, items, previous)
        @report.count(items)
        @report.lockfile_written = @context.options.resolved || @resolution.written?
        @report.team_bytes = @context.sources.team_bytes
        by_bundler.clean if @context.options.clean || @context.settings.bool(:clean)
        relinked = change_links(in_place.map(&:full_name), previous)
        messages(items)
        previous.keep(items, @report, relinked: relinked)
        finish(result) { previous.keep(items, @report, relinked: relinked) }
      end

      # Ends all running work. Safe to call twice.
      def stop
        @pipeline&.stop
        @resolution.give_up
      end

      private

      def pipeline = @pipeline ||= Pipeline.new(@context)
      def by_bundler = ByBundler.new(@context, @report)
      def items(plan, record) = @items.of(plan.packages.select(&:gem?), record)

      # Starts before the Gemfile is evaluated, since most of the lockfile's gems will be needed in any case.
      def speculate(lockfile)
        likely = items(Planner.new(lockfile: lockfile, settings: @context.settings).plan, @previous.record)
        pipeline.speculate(likely.select { |item| item.state == :needed })
      end

      # Invalidates the builds of --rebuild.
      def forget(plan)
        names = @context.options.rebuild or return
        wanted = plan.packages.select { |package| @context.options.rebuild?(package) }
        unknown = names - wanted.flat_map { |package| [package.name, package.full_name] }
        raise UnknownGemError.new(unknown.first, plan.packages.map(&:name)) if unknown.any?

        invalidations = Build::Cache::Invalidations.of(@context.store)
        wanted.each { |package| invalidations.forget(package.full_name) }
      end

      # The number of fetches is unknown if vendor/cache exists, since archives in it are not fetched.
      def announce(plan, items)
        plan.warnings.each { |text| @report.warn(text) }
        check_groups
        facts = { total: items.size, in_place: items.count { |item| item.state == :in_place } }
        facts[:fetch] = items.count(&:missing?) unless File.directory?(@context.layout.app_cache)
        @context.events.emit(:plan, **facts)
        BundleFolder.check_names(@context.layout.root, items.map(&:full_name))
      end

      # Most runs have no group options, and need not load code for them.
      def check_groups
        settings = @context.settings
        return if settings.levels[:flag].empty? && settings.array(:only).empty?

        Prepare::GroupCheck.new(settings, @resolution.facts).warnings
                           .each { |text, hint| @report.warn(text, hint: hint) }
      end

      # Reads passwords of the Gemfile in the main thread, since they come from a Bundler process.
      def run(items, record)
        lacking = items.select(&:missing?)
        lacking.each { |item| @context.sources.domains(item.package) } if @resolution.facts.hidden?
        pipeline.run(items, record) if @pipeline || items.any? { |item| item.state != :in_place }
        asked = items.select { |item| @context.options.rebuild?(item.package) && item.manifest && !item.native? }
        asked.each { |item| @report.warn("#{item.full_name} has no extension to build; its files were restored") }
      end

      # Returns a Folders::Step::Result, or nil if all gems are from gem sources.
      def install_folders(plan, items, previous)
        others = plan.packages.select { |package| package.git? || package.path? }
        unless others.empty?
          step = Folders::Step.new(@context, previous.notes.git, items, previous.record)
          @report.count_folders(others.size, result = step.call(others, @resolution.facts))
        end
        previous.notes.keep_git(result&.checkouts.to_a, @context.layout.bundler_gems)
        previous.notes.keep_built(result&.kept.to_a)
        result
      end

      def change_links(in_place, previous)
        return false unless previous.links_change?(in_place)

        changed = Link::MethodChange.new(@context, previous.record).call(in_place)
        @report.changed_links(changed, @context.link_method)
        true
      end

      # Collects the messages of newly installed gems. --rebuild and `spate restore` print none, like `bundle pristine`.
      def messages(items)
        return if @context.settings.bool(:ignore_messages)

        items.select { |item| item.state == :committed && !item.replaces }.each do |item|
          text = item.facts.post_install_message
          next if text.nil? || @context.settings.bool("ignore_messages.#{item.name}")

          @report.messages << [item.full_name, text]
          @context.events.emit(:message, name: item.full_name, text: text)
        end
      end

      # Lets Bundler do what Spate does not support: binstubs, updating vendor/cache, and git gems in vendor/cache.
      # Yields after such git gems were completed.
      def finish(result)
        layout = @context.layout
        vendored = result&.for_bundler.to_a
        binstubs = layout.binstubs && (!@report.noop? || !File.directory?(layout.binstubs))
        cache = @report.fetched.positive? && !@context.settings.frozen? && File.directory?(layout.app_cache)
        return unless binstubs || cache || vendored.any?

        by_bundler.finish
        return if vendored.empty?

        @previous.notes.git.concat(vendored.map { |source| Folders::VendoredGit.new(@context).sign(source) })
        yield
      end
    end
  end
end
