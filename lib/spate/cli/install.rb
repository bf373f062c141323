# frozen_string_literal: true

module Spate
  module CLI
    # `spate install`: parses the options, runs the installer, and prints its report.
    class Install < Command
      autoload :CompileCaches, "spate/cli/install/compile_caches"
      autoload :Halves, "spate/cli/install/halves"
      autoload :WithPackages, "spate/cli/install/with_packages"
      autoload :RememberedOptions, "spate/cli/install/remembered_options"
      autoload :Sharing, "spate/cli/install/sharing"

      summary "Install the gems of the lockfile"
      usage "spate install [options]"
      option :jobs, "-j", "--jobs", "N", "parallel builds and unpacking; default: one per processor", kind: :count
      option :retry, "--retry", "N", "retries of a failed request; default: 3", kind: :integer
      option :copy, "--[no-]copy", "copy files from the store instead of linking them; remembered"
      option :local, "--local", "no network: use the store, vendor/cache and installed gems"
      option :clean, "--clean", "remove gems that the lockfile does not name"
      option :refresh, "--refresh", "check with the sources whether gems without checksum changed"
      option :frozen, "--frozen", "fail if Gemfile and lockfile disagree, instead of resolving"
      option :deployment, "--deployment", "like --frozen, into vendor/bundle; remembered"
      option :path, "--path", "DIR", "install the bundle there; remembered"
      option :system, "--system", "install where `gem install` does; remembered"
      option :without, "--without", "GROUPS", "exclude these groups; remembered", kind: :list
      option :with, "--with", "GROUPS", "include these optional groups; remembered", kind: :list
      option :only, "--only", "GROUPS", "install only these groups; remembered", kind: :list
      option :rebuild, "--rebuild", "GEMS", "rebuild the extensions of these gems, also for later installs", kind: :list
      option :js, "--[no-]js", "also restore node_modules, in parallel; remembered"
      option :push, "--push", "send this bundle to the team's cache, and wait until it is sent"
      option :timeline, "--timeline", "FILE", "write a page that shows where the time went"
      option :compile_cache, "--compile-cache", "--boot-images", "wait|background|off", "when to build compile caches"
      bundle_options
      common_options
      left_to_bundler "--standalone", "--binstubs", "--shebang", "--trust-policy", "--target-rbconfig", "--redownload",
                      "--force", "--no-lock"
      example "spate install", "install the gems of Gemfile.lock into the bundle's path"
      example "spate install --frozen", "for CI: fail if the lockfile is not up to date"
      example "spate install --rebuild nokogiri", "after an update of a system library"
      example "spate install --js", "also node_modules, now and in later installs; undo with --no-js"
      example "spate install --copy", "for a container image, or to edit gems in place"
      note "Remembered options are written to .bundle/config by `bundle config set --local`; Bundler reads them too."

      # Options of Bundler that Spate ignores: it fetches a full index only if needed and never writes vendor/cache.
      IGNORED_OPTIONS = %w[--full-index --no-cache --no-prune --prefer-local].freeze

      def self.parse(argv) = super(argv - IGNORED_OPTIONS)

      def self.elsewhere(name)
        option = JS.options.find { |each| each.spellings.include?(name) } or return
        "this is an option of `spate js`: spate install, then spate js #{[name, option.argument].compact.join(" ")}"
      end

      def run
        no_operands!
        refuse_contradiction
        return packages_alone if values[:js] && !gemfile?

        caches = compile_caches
        context.settings.validate! # raises before any setting is written
        refuse_unknown_only
        warn_of_invalid_numbers
        packages = with_packages if js?
        return both(packages, caches) if packages

        events = Events.new
        timeline = Timeline.of(values, events) if values[:timeline]
        report = install(events)
        remember(values)
        print_report(report, timeline)
        print_compile_caches(caches.call(report) { |event| print_event(event) })
        hint_at_packages(report)
        hint_at_launcher(report)
        share(report)
        InPlace.start(context, [context.layout.root]) if report.noop?
        0
      end

      private

      def install(events)
        listen(events)
        gems(events).run
      ensure
        @progress&.finish
      end

      # Stores options as settings. Called after the installation, so that a failed command does not change settings.
      def remember(given) = RememberedOptions.new(given, context, terminal).keep

      # Whether there is a Gemfile. Raises NotFound if --gemfile names a missing file, or if there is no package.json
      # either.
      def gemfile?
        context.location
      rescue Gemfile::NotFound
        raise if values[:gemfile] || !JS.find_upwards(Dir.pwd) { |at| File.file?(File.join(at, "package.json")) }
      end

      # Installs only JavaScript packages. Without a Gemfile, options cannot be stored as settings.
      def packages_alone
        JS.new(values.slice(*JS.options.map(&:key)), operands, terminal: terminal, env: env).run
      end

      # backlog: the work queue that the installs of gems and packages share, or nil if only gems are installed.
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

      # Installs gems and packages. Returns the exit code.
      def both(packages, caches)
        halves = packages.run { |*shared| gems(*shared).run }
        remember(values) if halves.failures.empty?
        print_gems(halves.gems) if halves.gems && !json?
        halves.print_report
        print_compile_caches(caches.call(halves.gems) { |event| print_event(event) }) if halves.gems
        hint_at_launcher(halves.gems) if halves.gems
        share(halves.gems) if halves.gems
        InPlace.start(context, [context.layout.root, halves.root]) if halves.noop?
        halves.report_failures
      end

      def share(report)
        return if values[:local] || !(values[:push] || RemoteCache.set?(context.settings))

        Sharing.new(context, terminal, wait: values[:push], json: json?) { |event| print_event(event) }.call(report)
      end

      # Prints the hint only for a first installation on a terminal.
      def hint_at_packages(report)
        return if report.reused.positive? || !watched?(report)
        return unless values[:js].nil? && JSGem.activate && ::Spate::JS::Project.find(context.location.root, env)

        terminal.hint("node_modules, too: spate install --js")
      rescue Error
        nil # the user did not request packages, so errors are ignored
      end

      # Whether something was installed and the output is a terminal.
      def watched?(report) = !report.noop? && !json? && !terminal.quiet? && terminal.live?

      def hint_at_launcher(report)
        Setup::LauncherHint.new(context.store.writable_store, terminal, context.env).show if watched?(report)
      end

      def refuse_contradiction
        return unless values[:local]

        other = { refresh: "--refresh", push: "--push" }.find { |name, _| values[name] } or return
        raise UsageError.new("--local excludes #{other.last}, which needs the network", hint: "omit one of them")
      end

      # Rejects --only if the bundle's version of Bundler does not support it. `bundle exec` would report missing gems.
      def refuse_unknown_only
        return unless values.key?(:only)

        context.lockfile if context.location.lockfile? # raises an error if the lockfile is invalid
        facts = Gemfile::Check.for(location: context.location, settings: context.settings, store: context.store)
        return if facts.supports_only?

        raise Settings::OnlyUnknown.new(facts.bundler_version, facts.groups - values[:only])
      end

      # Loads the progress output at the first event other than :plan, so that a run with nothing to do does not load
      # it.
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

      # The options that are not settings of Bundler. Context applies the others.
      def install_options
        ::Spate::Install::Options.new(**values.slice(:jobs, :copy, :local, :clean, :refresh, :rebuild, :resolved))
      end

      def compile_caches
        CompileCaches.new(location: context.location, settings: context.settings, store: context.store,
                          option: values[:compile_cache], local: values[:local])
      end

      def warn_of_invalid_numbers
        context.settings.odd_numbers.each do |name, value|
          print_event(event: :warning, message: "the setting `#{name}` is not a number: #{value.inspect}; " \
                                               "using #{value.to_i}, as Bundler does",
                      hint: "see where it was set: bundle config get #{name}")
        end
      end

      # built: facts about the compile caches (Hash) if the install waited for them. Prints nothing for other values.
      def print_compile_caches(built)
        return unless built.is_a?(Hash)
        return json.call(event: :compile_cache, **built) if json?

        gems = Units.count(built[:built], "gem")
        terminal.info "compile caches: #{gems} compiled, #{built[:reused]} unchanged, " \
                      "#{Units.bytes(built[:bytes])} in #{Units.seconds(built[:seconds])}"
      end

      def print_event(event)
        return json.call(event) if json?

        terminal.warning(event[:message], hint: event[:hint]) if event[:event] == :warning
      end

      def print_report(report, timeline = nil)
        summary = Output::Summary.new(report)
        timeline&.finish(%w[spate install], summary.line, terminal, json: (json if json?))
        return json.call(summary.event) if json?

        print_gems(report)
        terminal.info summary.line
      end

      def print_gems(report)
        Output::EditedFiles.print(report.edits, terminal) unless report.edits.empty?
        report.removed.each { |name| terminal.info "removed #{Util::Terminal.plain(name)}" }
        report.messages.each { |name, text| print_message(name, text) }
      end

      # Prints a gem's post-install message.
      def print_message(name, text)
        terminal.info "Message from #{Util::Terminal.plain(name)}:"
        terminal.info Util::Terminal.plain(text).chomp.gsub(/^/, "  ")
      end
    end
  end
end
