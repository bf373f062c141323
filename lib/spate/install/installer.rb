# frozen_string_literal: true

module Spate
  module Install
    # Installs a bundle from a Gemfile and its lockfile.
    #
    #   1. read the lockfile, and recall what is known about the Gemfile (or run Bundler, in a child)
    #   2. meanwhile, fetch and unpack the packages missing from the store
    #   3. once the Gemfile is known: plan; if the Gemfile changed, Bundler resolves
    #   4. link, build and commit each package; write the bundle's record last
    class Installer
      def initialize(location:, settings:, store:, events: Events.new, options: Options.new)
        @context = Context.new(location: location, settings: settings, store: store, events: events, options: options)
        @report = Report.new
      end

      # Returns a Report. Raises Spate::Error; bundle and store are then still consistent.
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
        @pipeline&.stop
        @resolution&.give_up
        @context.sources.close
        tell_healed
      end

      private

      def install
        @record = Store::BundleRecord.load(@context.store, @context.layout.root)
        @notes ||= Commit::Notes.parse(@record&.notes)
        @resolution = Prepare::Resolution.new(@context, unfit: @notes.unfit)
        @context.settings.validate!
        unsupported = @context.settings.unsupported
        return hand_over(unsupported.map { |setting| "#{setting.name}: #{setting.reason}" }) unless unsupported.empty?

        @context.layout.ask_rubygems
        lockfile = @resolution.lockfile
        @pipeline = nil
        GC.enable unless @resolution.known?
        speculate(lockfile) unless @resolution.known?
        plan = @resolution.plan
        forget(plan)
        plugins = plugins_of(plan)
        return hand_over(plugins) unless plugins.empty?

        finish(plan, items_for(plan))
      rescue Specification::WrongRubyError => e
        return resolved_by_bundler(e) if only_variant?(e.package)

        plan_without(e.package, "does not fit this Ruby or RubyGems") or raise
        retry
      rescue Registry::NotFound => e
        # With an old RubyGems, Bundler locks x86_64-linux where the source has x86_64-linux-gnu.
        plan_without(@items&.dig(e.full_name)&.package, "was not found at its source") or raise
        retry
      rescue Planner::MissingPlatform => e
        # `bundle lock` does not add this machine's platform to a lockfile for another libc; `bundle install` does.
        raise if @context.settings.frozen?

        resolved_by_bundler(e)
      end

      # No locked variant fits this Ruby or RubyGems. Only Bundler can find another one at the gem's source.
      def only_variant?(package) = package&.alternatives&.empty? && !@context.settings.frozen?

      def pipeline = @pipeline ||= Pipeline.new(@context, @record)

      def resolved_by_bundler(error)
        @pipeline&.stop
        hand_over([error.message])
      end

      # A variant for this platform may need a newer Ruby or RubyGems, or have been removed: like Bundler, uses the next
      # best one.
      def plan_without(package, reason)
        return if package.nil? || package.alternatives.empty? || @notes.unfit.include?(package.full_name)
        return if package.locked? && @context.settings.frozen?

        @pipeline&.stop
        @items = nil
        @notes.unfit << package.full_name
        warning("#{package.full_name} #{reason}; using #{package.alternatives.first}")
      end

      def finish(plan, items)
        plan.warnings.each { |text| warning(text) }
        check_groups
        announce(items)
        BundleFolder.check_names(@context.layout.root, items.map(&:full_name))
        in_place = items.select { |item| item.state == :in_place }
        settle(in_place)
        reveal_passwords(items) if @resolution.facts.hidden?
        pipeline.run(items) if @pipeline || in_place.size < items.size
        tell_without_extension(items)
        install_folders(plan, items)
        @report.count(items)
        @report.lockfile_written = @context.options.resolved || @resolution.written?
        @report.team_bytes = @context.sources.team_bytes
        clean if clean?
        relinked = change_links(in_place.map(&:full_name))
        messages(items)
        keep_record(items, relinked)
        finish_by_bundler
        return if @for_bundler.empty?

        # Checkouts in vendor/cache that Bundler has just finished.
        @notes.git.concat(@for_bundler.map { |source| Folders::VendoredGit.new(@context).sign(source) })
        keep_record(items, relinked)
      end

      # Most runs have no group options, and load no code for them.
      def check_groups
        settings = @context.settings
        return if settings.levels[:flag].empty? && settings.array(:only).empty?

        Prepare::GroupCheck.new(settings, @resolution.facts).warnings.each { |text, hint| warning(text, hint: hint) }
      end

      # in_place: items.
      def settle(in_place)
        loaded = @record
        packages = in_place.to_h { |item| [item.full_name, item.sha256] }
        @record = Store::BundleRecord.find(@context.store, @context.layout.root, packages, loaded)
        @recovered = !@record.equal?(loaded)
        @notes.git, _, _, @notes.built = Commit::Notes.parse(@record.notes).to_a if @recovered
        @report.edits = Check::Edits.new(@context, @record, packages.keys).settle
      end

      # Reads passwords of the Gemfile, known only to Bundler, on the main thread.
      def reveal_passwords(items)
        items.each { |item| @context.sources.domains(item.package) if item.lacking? }
      end

      # Lets Bundler do what Spate does not: its own binstubs, the application's vendor/cache, git gems in it.
      def finish_by_bundler
        binstubs = @context.layout.binstubs && !File.directory?(@context.layout.binstubs)
        cache = @report.fetched.positive? && !@context.settings.frozen? && File.directory?(@context.layout.app_cache)
        return unless binstubs || (@context.layout.binstubs && !@report.noop?) || cache || @for_bundler.any?

        @context.events.emit(:finishing, by: "Bundler")
        Gemfile::BundleCommand.finish(@context.location, @context.settings)
      end

      # The number of fetches is unknown if vendor/cache exists, since its archives are not fetched.
      def announce(items)
        facts = { total: items.size, in_place: items.count { |item| item.state == :in_place } }
        missing = items.count(&:lacking?)
        facts[:fetch] = missing unless File.directory?(@context.layout.app_cache)
        @context.events.emit(:plan, **facts)
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

      def tell_without_extension(items)
        asked = items.select { |item| @context.options.rebuild?(item.package) && item.manifest && !item.native? }
        asked.each { |item| warning("#{item.full_name} has no extension to build; its files were restored") }
      end

      # Bundler plugins run only in Bundler.
      def plugins_of(plan)
        names = @resolution.facts.plugins + plan.packages.map(&:source).uniq.select { |source| source.type == :plugin }
        names.map { |name| "the plugin #{name}: only Bundler runs plugins" }
      end

      # If Spate does not support a setting or plugin, Bundler installs instead, and a message gives the reason.
      def hand_over(reasons)
        @context.events.emit(:handed_over, reasons: reasons)
        status = Gemfile::BundleCommand.install(@context.location, @context.settings)
        raise Gemfile::BundlerFailed.new(["install"], status, []) unless status.zero?

        @report.handed_over = reasons
        clean if @context.options.clean # Bundler itself applies the setting
      end

      # Starts before the Gemfile is evaluated, since most of the lockfile's gems will be needed anyway.
      def speculate(lockfile)
        return if @resolution.doubtful?

        needed = items_for(Planner.new(lockfile: lockfile, settings: @context.settings).plan)
        pipeline.speculate(needed.select { |item| item.state == :needed })
      end

      def items_for(plan)
        @items ||= {}
        preparation = Prepare::Items.new(@context, inventory)
        packages = plan.packages.select(&:gem?)
        fresh = preparation.items(packages.reject { |package| prepared?(package) }, @record)
        fresh.each { |item| @items[item.full_name] = item }
        packages.map { |package| @items.fetch(package.full_name) }
      end

      # Results and fetches without the Gemfile's credentials are invalid for a source that needs them.
      def prepared?(package)
        @items.key?(package.full_name) &&
          (package.sha256 || package.source.remotes.none? { |remote| @context.sources.remotes.spelled?(remote) })
      end

      def inventory = @inventory ||= Prepare::Inventory.new(@context.layout)

      def clean
        return @report.removed = Cleaner.new(@context).call unless @context.layout.system?

        warning("system gems were not cleaned: other bundles may use them; to remove them: `bundle clean --force`")
      end

      def clean? = @context.options.clean || @context.settings.bool(:clean)

      # Whether installed gems (full names) are links and should be copies, or the other way round.
      def links_change?(in_place)
        former = project&.link_method || "hard"
        return former == "copy" && none_copies? unless @context.link_method == :copy

        former != "copy" || @record.only(in_place).trees.any?(&:linked?)
      end

      # Store::BundleRecord::Project of this application's previous install, or nil.
      def project = @record&.project(@context.location.root)

      # Whether no other project in the same folder uses copies, which may be of the same gems.
      def none_copies?
        (@record.projects - [project]).none? { |other| other.link_method == "copy" && File.directory?(other.app) }
      end

      # Returns whether there was something to change.
      def change_links(in_place)
        return false unless links_change?(in_place)

        @report.changed_links(Link::MethodChange.new(@context, @record).call(in_place), @context.link_method)
        true
      end

      # Installs gems from git and from folders of the application.
      def install_folders(plan, items)
        others = plan.packages.select { |package| package.git? || package.path? }
        @for_bundler = []
        return keep_checkouts([], []) if others.empty?

        result = Folders::Step.new(@context, @notes.git, items, @record).call(others, @resolution.facts)
        @report.count_folders(others.size, result)
        keep_checkouts(result.checkouts, result.kept)
        @for_bundler = result.for_bundler
      end

      def keep_checkouts(names, built)
        @notes.keep_git(names, @context.layout.bundler_gems)
        @notes.keep_built(built)
      end

      # Messages of newly installed gems. Like `bundle pristine`, --rebuild and `spate restore` print none.
      def messages(items)
        return if @context.settings.bool(:ignore_messages)

        items.select { |item| item.state == :committed && !item.replaces }.each do |item|
          text = item.facts.post_install_message
          next if text.nil? || @context.settings.bool("ignore_messages.#{item.name}")

          @report.messages << [item.full_name, text]
          @context.events.emit(:message, name: item.full_name, text: text)
        end
      end

      def keep_record(items, relinked)
        return if @report.noop? && @record&.notes == @notes.to_s && @report.edits.empty? && !relinked &&
                  !@recovered && project&.link_method == @context.link_method.to_s

        @notes.keep_check(Gemfile::Check.key(@context.location, @context.settings), @context.location.root)
        Commit::RecordWriter.new(@context, @record).keep(items, @notes.to_s, relinked: relinked)
      end

      def tell_healed
        return if (healed = @context.store.healed.slice!(0..)).empty?

        names = (@items || {}).to_h { |full_name, item| [item.sha256, full_name] }
        told = @report.edits.map { |edit| [edit.name, edit.path] }
        healed.reject! { |each| told.include?([names[each.package], each.path]) }
        Check::HealingReport.lines(healed, names).each { |line| warning(line, hint: Check::HealingReport::HINT) }
      end

      def warning(text, **hint)
        @report.warnings << text
        @context.events.emit(:warning, message: text, **hint)
      end
    end
  end
end
