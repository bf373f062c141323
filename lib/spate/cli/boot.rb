# frozen_string_literal: true

module Spate
  module CLI
    # `spate boot`: manages the compile caches of applications.
    class Boot < Command
      autoload :Build, "spate/cli/boot/build"
      autoload :Explain, "spate/cli/boot/explain"
      autoload :Profile, "spate/cli/boot/profile"
      autoload :Status, "spate/cli/boot/status"
      %i[Clear Verify].each { |name| autoload name, "spate/cli/boot/maintenance" }

      SUBCOMMANDS = { "build" => :Build, "status" => :Status, "clear" => :Clear, "verify" => :Verify,
                      "explain" => :Explain, "profile" => :Profile }.freeze
      # The message if the store is temporary.
      TEMPORARY = "compile caches are off: the store is temporary, and they would be removed with it"

      # The native extension for boots was not built for this Ruby.
      class Unavailable < Error
        EXIT_CODE = 15

        def initialize(reason)
          super("the native extension for boots is missing: #{reason}", hint: Native.remedy)
        end
      end

      summary "Manage the compile caches of applications, and measure boots"
      usage "spate boot build [FOLDER ...]    build compile caches now, also of the files in FOLDER"
      usage "spate boot status                which compile caches this application uses, and what is stale"
      usage "spate boot clear [--all]         remove this application's compile caches, or all"
      usage "spate boot verify                read every compile cache of every Ruby"
      usage "spate boot explain FEATURE ...   which file would be loaded, and why"
      usage "spate boot profile -- COMMAND    run it, and write a page that shows where its boot time went"
      option :jobs, "-j", "--jobs", "N", "build: parallel processes; default: one per processor", kind: :integer
      option :exclude, "--exclude", "PATTERN", "build: leave out paths that match this regular expression"
      option :all, "--all", "clear: compile caches of all applications and Rubies"
      option :output, "--output", "FILE", "profile: the page (spate-profile.html), with its data next to it as .json"
      option :compare, "--compare", "WITH", "profile: `plain` (`bundle exec`), or the page or data file of another run"
      bundle_options
      common_options
      example "spate boot build app lib", "in a container image, before the first boot"
      example "spate boot explain active_support/all", "which file, from which compile cache"
      example "spate boot profile --compare plain -- bin/rails runner 1", "compare Spate with Bundler alone"
      note "Exit codes: 9 if verify found damage, another builder was running or a file could not be written; 11 if\n" \
           "explain finds nothing or the bundle is incomplete; profile exits with the status of its command.\n" \
           "See docs/boot.md."

      # Adds a hint if an option of the profiled command was parsed as an option of `spate boot`.
      def self.parse(argv)
        super
      rescue UsageError => e
        name, program, * = argv
        raise if name != "profile" || argv.include?("--") || program.to_s.start_with?("-")

        right = "spate boot profile -- #{argv.drop(1).join(" ")}"
        raise UsageError.new(e.message, hint: "put `--` before the command: #{right}")
      end

      def run
        name, rest = Command::Subcommand.choose("spate boot", operands, SUBCOMMANDS.keys)
        native
        Boot.const_get(SUBCOMMANDS[name]).new(rest, values: values, terminal: terminal, context: context).run
      end

      private

      def native
        require "spate/native/boot"
      rescue LoadError => e
        raise Unavailable, e.message
      end

      # Common code of the `spate boot` commands.
      class Subcommand < Command::Subcommand
        private

        def caches = @caches ||= ::Spate::Boot::CompileCacheFolder.new(context.store.root)

        def no_operands!
          return if operands.empty?

          raise UsageError.new("`spate boot #{name}` takes no operands, got #{operands.first.inspect}",
                               hint: "spate boot --help")
        end

        # The application in the current directory, with or without a Gemfile.
        def location
          context.location
        rescue Gemfile::NotFound
          raise if values[:gemfile]

          Gemfile::Location.new(nil, nil, Dir.pwd)
        end
      end
    end
  end
end
