# frozen_string_literal: true

module Spate
  module CLI
    # `spate install`: options in, the installer run, its report told.
    class Install < Command
      autoload :BootImages, "spate/cli/install/boot_images"
      autoload :Halves, "spate/cli/install/halves"
      autoload :WithPackages, "spate/cli/install/with_packages"
      autoload :LauncherHint, "spate/cli/install/launcher_hint"
      autoload :RememberedOptions, "spate/cli/install/remembered_options"
      autoload :Sharing, "spate/cli/install/sharing"

      summary "Install what the lockfile names"
      usage "spate install [options]"
      option :jobs, "-j", "--jobs", "N", "builds and unpacking at the same time; as many as processors", kind: :count
      option :retry, "--retry", "N", "tries more for a request that failed; 3", kind: :integer
      option :copy, "--[no-]copy", "copy files out of the store instead of linking them; remembered"
      option :local, "--local", "no network: the store, vendor/cache and gems that are there"
      option :clean, "--clean", "afterwards remove gems that the lockfile does not name"
      option :refresh, "--refresh", "ask the sources again whether a gem without checksum changed"
      option :frozen, "--frozen", "fail where Gemfile and lockfile disagree, instead of resolving"
      option :deployment, "--deployment", "as --frozen, into vendor/bundle; remembered"
      option :path, "--path", "DIR", "install the bundle there; remembered"
      option :system, "--system", "install where `gem install` does; remembered"
      option :without, "--without", "GROUPS", "groups not to install; remembered", kind: :list
      option :with, "--with", "GROUPS", "optional groups to install; remembered", kind: :list
      option :only, "--only", "GROUPS", "no other groups than these; remembered", kind: :list
      option :rebuild, "--rebuild", "GEMS", "build these gems' extensions again, for later installs too", kind: :list
      option :js, "--[no-]js", "restore node_modules as well, at the same time; remembered"
      option :push, "--push", "send to the team's cache what this bundle has, and wait for it"
      option :timeline, "--timeline", "FILE", "write a page that says where the time went"
      option :boot_images, "--boot-images", "wait|background|off", "when images to boot from are made"
      bundle_options
      common_options
      example "spate install", "what Gemfile.lock names, into the bundle's path"
      example "spate install --frozen", "in CI: the lockfile must be up to date"
      example "spate install --rebuild nokogiri", "after a library of the system changed"
      example "spate install --js", "and node_modules, now and from now on; --no-js forgets it"
      example "spate install --copy", "for a container's layer, or to edit gems in place"
      note "Remembered means: written to .bundle/config by `bundle config set --local`, for Bundler to see it too."

      def self.parse(argv) = super(BundlerOptions.without_needless(argv))

      def self.elsewhere(name)
        option = JS.options.find { |each| each.spellings.include?(name) } or return
        "`spate js` has it: spate install, then spate js #{[name, option.argument].compact.join(" ")}"
      end

      def run
        no_operands!
        refuse_contradiction
        return packages_alone if values[:js] && !gemfile?

        images = boot_images
        context.settings.validate! # before anything of it is written down
        refuse_unknown_only
        tell_odd_numbers
        packages = with_packages if js?
        return both(packages, images) if packages

        events = Events.new
        timeline = Timeline.of(values, events) if values[:timeline]
        report = install(events)
        remember(values)
        tell(report, timeline)
        tell_images(images.call(report) { |event| tell_event(event) })
        hint_at_packages(report)
        hint_at_launcher(report)
        share(report)
        0
      end

      private

      def install(events)
        listen(events)
        gems(events).run
      ensure
        @progress&.finish
      end

      # After the installation: a command that failed leaves no settings behind.
      def remember(given) = RememberedOptions.new(given, context, terminal).keep

      # Whether there is one, or should be.
      def gemfile?
        context.location
      rescue Gemfile::NotFound
        raise if values[:gemfile] || !JS.upwards(Dir.pwd) { |at| File.file?(File.join(at, "package.json")) }
      end

      # Nothing can be remembered for it.
      def packages_alone
        JS.new(values.slice(*JS.options.map(&:key)), operands, terminal: terminal, env: env).run
      end

      # backlog: what both halves fetch and unpack through, nil where there is one half.
      def gems(events, backlog = nil)
        options = install_options.tap { |given| given.backlog = backlog }
        ::Spate::Install::Installer.new(location: context.location, settings: context.settings, store: context.store,
                                        events: events, options: options)
      end

      def js? = values.fetch(:js) { context.settings.bool("spate.js") }

      def with_packages
        JS.require_gem
        WithPackages.new(context, values, terminal, json: (json if json?))
      end

      # The exit code.
      def both(packages, images)
        halves = packages.run { |*shared| gems(*shared).run }
        remember(values) if halves.failures.empty?
        tell_gems(halves.gems) if halves.gems && !json?
        halves.tell
        tell_images(images.call(halves.gems) { |event| tell_event(event) }) if halves.gems
        hint_at_launcher(halves.gems) if halves.gems
        share(halves.gems) if halves.gems
        halves.report_failures
      end

      def share(report)
        return if values[:local] || !(values[:push] || RemoteCache.set?(context.settings))

        Sharing.new(context, terminal, wait: values[:push], json: json?) { |event| tell_event(event) }.call(report)
      end

      # Once: where nothing of the bundle was there before, and somebody looks.
      def hint_at_packages(report)
        return if report.reused.positive? || !watched?(report)
        return unless values[:js].nil? && JSGem.activate && ::Spate::JS::Project.find(context.location.root, env)

        terminal.hint("node_modules, too: spate install --js")
      rescue Error
        nil # a project that is not asked for may be as it likes
      end

      # Whether something was installed, and a user looks at a terminal.
      def watched?(report) = !report.noop? && !json? && !terminal.quiet? && terminal.live?

      def hint_at_launcher(report)
        LauncherHint.new(context.store.keeper, terminal, context.env).show if watched?(report)
      end

      def refuse_contradiction
        return unless values[:local]

        other = { refresh: "--refresh asks all", push: "--push sends" }.find { |name, _| values[name] } or return
        raise UsageError.new("--local asks no source, and #{other.last}", hint: "leave one of them out")
      end

      # A bundle that `bundle exec` finds incomplete would be the outcome.
      def refuse_unknown_only
        return unless values.key?(:only)

        context.lockfile if context.location.lockfile? # what is wrong with it has an error of its own
        facts = Gemfile::Verdict.for(location: context.location, settings: context.settings, store: context.store)
        return if facts.knows_only?

        raise Settings::OnlyUnknown.new(facts.bundler_version, facts.groups - values[:only])
      end

      # Progress output is loaded with the first event after the plan.
      def listen(events)
        return events.subscribe { |event| json.call(event) } if json?
        return if terminal.quiet?

        waiting = []
        events.subscribe do |event|
          waiting << event
          next if event[:event] == :plan

          @progress ||= progress
          waiting.shift(waiting.size).each { |each| @progress.call(each) }
        end
      end

      def progress
        terminal.live? && !terminal.verbose? ? Output::ProgressLine.new(terminal) : Output::PlainLog.new(terminal)
      end

      # What Bundler has a setting for goes through the settings (Context); here is the rest.
      def install_options
        ::Spate::Install::Options.new(**values.slice(:jobs, :copy, :local, :clean, :refresh, :rebuild, :resolved))
      end

      def boot_images
        BootImages.new(location: context.location, settings: context.settings, store: context.store,
                       option: values[:boot_images], local: values[:local])
      end

      def tell_odd_numbers
        context.settings.odd_numbers.each do |name, value|
          tell_event(event: :warning, message: "the setting `#{name}` is #{value.inspect}, no number: " \
                                               "it counts as #{value.to_i}, as with Bundler",
                     hint: "see where it was set: bundle config get #{name}")
        end
      end

      # built: facts of images that were waited for, else there is nothing to tell.
      def tell_images(built)
        return unless built.is_a?(Hash)
        return json.call(event: :boot_images, **built) if json?

        gems = Units.count(built[:built], "gem")
        terminal.tell "boot images: #{gems} compiled, #{built[:reused]} as they were, " \
                      "#{Units.bytes(built[:bytes])} in #{Units.seconds(built[:seconds])}"
      end

      def tell_event(event)
        return json.call(event) if json?

        terminal.warning(event[:message], hint: event[:hint]) if event[:event] == :warning
      end

      def tell(report, timeline = nil)
        summary = Output::Summary.new(report)
        timeline&.tell(%w[spate install], summary.line, terminal, json: (json if json?))
        return json.call(summary.event) if json?

        tell_gems(report)
        terminal.tell summary.line
      end

      def tell_gems(report)
        Output::EditedFiles.tell(report.edits, terminal) unless report.edits.empty?
        report.removed.each { |name| terminal.tell "removed #{Ground::Terminal.plain(name)}" }
        report.messages.each { |name, text| tell_message(name, text) }
      end

      # A gem's own words after its installation.
      def tell_message(name, text)
        terminal.tell "Message from #{Ground::Terminal.plain(name)}:"
        terminal.tell Ground::Terminal.plain(text).chomp.gsub(/^/, "  ")
      end
    end
  end
end
