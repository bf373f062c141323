# frozen_string_literal: true

module Spate
  module CLI
    # `spate js`: node_modules, whether there is a Gemfile or not. What it does is in the gem spate-js.
    class JS < Command
      # The gem spate-js is not installed.
      class Missing < Error
        EXIT_CODE = 14

        def initialize
          super("node_modules is restored by the gem #{JSGem::NAME}, which is not installed for Ruby #{RUBY_VERSION}",
                hint: "gem install #{JSGem::NAME}")
        end
      end

      JSGem.activate
      autoload :Check, "spate/cli/js/check"
      autoload :Half, "spate/cli/js/half"
      autoload :NoProject, "spate/cli/js/half"
      autoload :Pins, "spate/cli/js/pins"
      autoload :Scripts, "spate/cli/js/scripts"
      autoload :ToolCommand, "spate/cli/js/tool_command"

      SUBCOMMANDS = %w[install check scripts].freeze
      # Of dependencies, that --omit leaves out.
      KINDS = %w[dev optional peer].freeze
      # Options of the page of --timeline.
      TIMED = %i[timeline against serial].freeze

      summary "Restore node_modules from its lockfile (with the gem spate-js)"
      usage "spate js [install] [options]   node_modules as the lockfile and its tool have it"
      usage "spate js check                 what is missing or differs, pins of an importmap, too; changes nothing"
      usage "spate js scripts               which packages ask to run scripts, and which may"
      option :omit, "--omit", "TYPES", "leave out dev, optional or peer dependencies", kind: :list
      option :ignore_scripts, "--ignore-scripts", "run no script, not even the project's own"
      option :global_virtual_store, "--[no-]global-virtual-store", "pnpm: links to trees that projects share"
      option :copy, "--[no-]copy", "copy files out of the store instead of linking them"
      option :local, "--local", "no network: the store alone"
      option :restore, "--restore", "NAMES", "put these packages into place again: a,b or all", kind: :list
      option :jobs, "-j", "--jobs", "N", "builds and unpacking at the same time; as many as processors", kind: :count
      option :timeline, "--timeline", "FILE", "write a page that says where the time went"
      option :against, "--against", "PAGE", "timeline: beside the run of this page"
      option :serial, "--serial", "unpack with one thread, to compare"
      option :store, "--store", "DIR", "the store's home, instead of $SPATE_HOME or the cache folder"
      common_options
      example "spate js --omit dev", "what production needs"
      example "spate js --timeline page.html", "every package: fetched, unpacked, linked, by thread"
      example "spate install --js", "the gems, too, at the same time"
      note "Spate restores package-lock.json and pnpm-lock.yaml itself, and runs the project's own tool for other\n" \
           "lockfiles. To add a package, run that tool (npm install NAME, pnpm add NAME), then spate js.\n" \
           "Exit code 11 where check finds something. js/docs/javascript.md has more."

      # Raises Missing.
      def self.require_gem = JSGem.activate || raise(Missing)

      # What the block returns for a folder, or for the nearest one above it where it is neither nil nor false.
      def self.upwards(folder)
        loop do
          found = yield folder
          return found if found || folder == (folder = File.dirname(folder))
        end
      end

      # Options of a tool's command are not Spate's.
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
          raise UsageError.new("`spate js #{name}` takes no operand, but got #{rest.first.inspect}",
                               hint: tool_command(name, rest) || "spate js --help")
        end

        refuse_unknown_kinds
        send(name)
      end

      private

      def refuse_unknown_kinds
        odd = Array(values[:omit]).find { |kind| !KINDS.include?(kind) } or return
        raise UsageError.new("--omit: #{odd.inspect} is none of #{KINDS.join(", ")}", hint: "spate js --omit dev")
      end

      def refuse(name, rest)
        command = tool_command(name, rest)
        near = Ground::Suggestion.near(name, SUBCOMMANDS) unless command
        raise UsageError.new("js has no command #{name.inspect}",
                             hint: command || (near ? "did you mean `spate js #{near}`?" : "spate js --help"))
      end

      # The project's tool's own command, nil without a project or if the tool has no such command.
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
        tell(report, timeline)
        0
      ensure
        listener&.finish
      end

      # An application may have packages, pins of an importmap, or both.
      def check
        pinned = Pins.root(Dir.pwd)
        project = project()
      rescue NoProject
        pinned ? Pins.new(pinned, **told).run : raise
      else
        found = Check.new(half(Events.new, project), **told).run
        pins = pinned ? Pins.new(pinned, **told).run : 0
        found.zero? ? pins : found
      end

      def scripts = Scripts.new(half(Events.new), **told).run
      def told = { terminal: terminal, json: (json if json?) }

      def project = Half.project(Dir.pwd, context.env)
      def half(events, project = project()) = Half.new(project, context, values: values, events: events)

      def listener
        return json if json?

        Output::Packages.listener(terminal) unless terminal.quiet?
      end

      def tell(report, timeline)
        summary = Output::Packages::Summary.new(packages: report)
        timeline&.tell(["spate", "js", *("--serial" if values[:serial])], summary.line, terminal, json: (json if json?))
        return json.call(summary.events.last) if json?

        Output::Packages::Notices.tell(report, terminal)
        terminal.tell(summary.line)
      end
    end
  end
end
