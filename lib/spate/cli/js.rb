# frozen_string_literal: true

module Spate
  module CLI
    # `spate js`: restores node_modules, with or without a Gemfile. Implemented by the gem spate-js.
    class JS < Command
      # The gem spate-js is not installed.
      class Missing < Error
        EXIT_CODE = 14

        def initialize
          super("restoring node_modules needs the gem #{JSGem::NAME}, which is not installed for Ruby #{RUBY_VERSION}",
                hint: "gem install #{JSGem::NAME}")
        end
      end

      JSGem.activate
      autoload :Check, "spate/cli/js/check"
      autoload :Half, "spate/cli/js/half"
      autoload :NoProject, "spate/cli/js/half"
      autoload :Pins, "spate/cli/js/check"
      autoload :Scripts, "spate/cli/js/scripts"
      autoload :ToolCommand, "spate/cli/js/tool_command"

      SUBCOMMANDS = %w[install check scripts].freeze
      # Types of dependencies that --omit accepts.
      KINDS = %w[dev optional peer].freeze
      # Options that write the page of --timeline.
      TIMED = %i[timeline against serial].freeze

      summary "Restore node_modules from its lockfile (with the gem spate-js)"
      usage "spate js [install] [options]   restore node_modules from the lockfile"
      usage "spate js check                 list what is missing or differs, also pins of an importmap"
      usage "spate js scripts               list packages with scripts, and which of them may run"
      option :omit, "--omit", "TYPES", "omit dev, optional or peer dependencies", kind: :list
      option :ignore_scripts, "--ignore-scripts", "run no scripts, not even the project's own"
      option :global_virtual_store, "--[no-]global-virtual-store", "pnpm: link to trees shared by projects"
      option :copy, "--[no-]copy", "copy files from the store instead of linking them"
      option :local, "--local", "no network: use only the store"
      option :restore, "--restore", "NAMES", "reinstall these packages: a,b or all", kind: :list
      option :jobs, "-j", "--jobs", "N", "parallel builds and unpacking; default: one per processor", kind: :count
      option :timeline, "--timeline", "FILE", "write a page that shows where the time went"
      option :against, "--against", "PAGE", "timeline: compare with the run of this page"
      option :serial, "--serial", "unpack with one thread, for comparison"
      option :store, "--store", "DIR", "the store's home, instead of $SPATE_HOME or the cache folder"
      common_options
      example "spate js --omit dev", "install only what production needs"
      example "spate js --timeline page.html", "show when each package was fetched, unpacked and linked"
      example "spate install --js", "install the gems as well, in parallel"
      note "Spate restores package-lock.json and pnpm-lock.yaml itself, and runs the project's own tool for other\n" \
           "lockfiles. To add a package, run that tool (npm install NAME, pnpm add NAME), then spate js.\n" \
           "Exit code 11 if check finds something. See js/docs/javascript.md."

      # Raises Missing.
      def self.require_gem = JSGem.activate || raise(Missing)

      # Yields the folder and each folder above it. Returns the block's first truthy value, or nil.
      def self.find_upwards(folder)
        loop do
          found = yield folder
          return found if found || folder == (folder = File.dirname(folder))
        end
      end

      # Does not parse the options if the command belongs to the project's tool (npm, pnpm).
      def self.parse(argv)
        name = argv.first
        return super if name.nil? || name.start_with?("-") || SUBCOMMANDS.include?(name)
        return super unless JSGem.activate && ToolCommand.name?(name)

        [{}, argv]
      end

      def run
        JS.require_gem
        name, *rest = operands
        name ||= "install"
        refuse(name, rest) unless SUBCOMMANDS.include?(name)
        unless rest.empty?
          raise UsageError.new("`spate js #{name}` takes no operands, got #{rest.first.inspect}",
                               hint: tool_command(name, rest) || "spate js --help")
        end

        refuse_unknown_kinds
        send(name)
      end

      private

      def refuse_unknown_kinds
        odd = Array(values[:omit]).find { |kind| !KINDS.include?(kind) } or return
        raise UsageError.new("--omit: #{odd.inspect} is not one of #{KINDS.join(", ")}", hint: "spate js --omit dev")
      end

      def refuse(name, rest)
        command = tool_command(name, rest)
        near = Util::Suggestion.near(name, SUBCOMMANDS) unless command
        raise UsageError.new("unknown command `spate js #{name}`",
                             hint: command || (near ? "did you mean `spate js #{near}`?" : "spate js --help"))
      end

      # Returns the corresponding command of the project's tool, or nil without a project or such a command.
      def tool_command(name, rest)
        ToolCommand.of(project.tool, name, rest)
      rescue Error
        nil
      end

      def install
        events = Events.new
        timeline = Timeline.of(values, events) if TIMED.any? { |name| values[name] }
        listener = listener()
        events.subscribe { |event| listener.call(event) } if listener
        report = half(events).tap(&:warn_of_options).run
        listener&.finish
        print_report(report, timeline)
        remember if report.noop?
        0
      ensure
        listener&.finish
      end

      # Checks packages and the pins of an importmap. An application may have either or both.
      def check
        pinned = Pins.root(Dir.pwd)
        project = project()
      rescue NoProject
        pinned ? Pins.new(pinned, **output).run : raise
      else
        found = Check.new(half(Events.new, project), **output).run
        pins = pinned ? Pins.new(pinned, **output).run : 0
        found.zero? ? pins : found
      end

      # Lets the native front end print the result next time, without starting Ruby.
      def remember = InPlace.start(context, [project.root])

      def scripts = Scripts.new(half(Events.new), **output).run
      def output = { terminal: terminal, json: (json if json?) }

      def project = Half.project(Dir.pwd, context.env)
      def half(events, project = project()) = Half.new(project, context, values: values, events: events)

      def listener
        return json if json?

        Output::Packages.listener(terminal) unless terminal.quiet?
      end

      def print_report(report, timeline)
        summary = Output::Packages::Summary.new(packages: report)
        command = ["spate", "js", *("--serial" if values[:serial])]
        timeline&.finish(command, summary.line, terminal, json: (json if json?))
        return json.call(summary.events.last) if json?

        Output::Packages::Notices.print(report, terminal)
        terminal.info(summary.line)
      end
    end
  end
end
