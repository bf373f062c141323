# frozen_string_literal: true

module Spate
  module CLI
    # `spate boot`: what applications boot from.
    class Boot < Command
      autoload :Build, "spate/cli/boot/build"
      autoload :Clear, "spate/cli/boot/clear"
      autoload :Explain, "spate/cli/boot/explain"
      autoload :Profile, "spate/cli/boot/profile"
      autoload :Subcommand, "spate/cli/boot/subcommand"
      autoload :Status, "spate/cli/boot/status"
      autoload :StatusReport, "spate/cli/boot/status_report"
      autoload :Verify, "spate/cli/boot/verify"

      SUBCOMMANDS = { "build" => :Build, "status" => :Status, "clear" => :Clear, "verify" => :Verify,
                      "explain" => :Explain, "profile" => :Profile }.freeze
      # Where the store is a temporary one.
      TEMPORARY = "applications boot without images here: the store is temporary, and images would be removed with it"

      # This Ruby has no library to boot with.
      class Unavailable < Error
        EXIT_CODE = 15

        def initialize(reason)
          super("this Spate was built without what boots: #{reason}", hint: Native.remedy)
        end
      end

      summary "Look after the images that applications boot from, and measure boots"
      usage "spate boot build [FOLDER ...]    make them now; of the application's own files in FOLDER, too"
      usage "spate boot status                what this application boots from, and what is stale"
      usage "spate boot clear [--all]         remove this application's, or all"
      usage "spate boot verify                read every image of every Ruby"
      usage "spate boot explain FEATURE ...   where it would come from, and why"
      usage "spate boot profile -- COMMAND    run it, and write a page that says where its boot went"
      option :jobs, "-j", "--jobs", "N", "build: children at the same time; as many as processors", kind: :integer
      option :exclude, "--exclude", "PATTERN", "build: leave out paths that match this regular expression"
      option :all, "--all", "clear: of all applications and Rubies"
      option :output, "--output", "FILE", "profile: the page, its data beside it as .json; spate-profile.html"
      option :compare, "--compare", "WITH", "profile: `plain` (`bundle exec`), or the page or data of another run"
      bundle_options
      common_options
      example "spate boot build app lib", "in a container's layer, before the first boot"
      example "spate boot explain active_support/all", "which file, out of which image"
      example "spate boot profile --compare plain -- bin/rails runner 1", "with Spate, and with Bundler alone"
      note "Exit codes: 9 where verify found damage, or a builder or the disk was in the way; 11 where\n" \
           "explain finds nothing or the bundle is incomplete; profile ends as its command did.\n" \
           "docs/boot.md has more."

      # Options of a command that is to be profiled are not of this one.
      def self.parse(argv)
        super
      rescue UsageError => e
        name, program, * = argv
        raise if name != "profile" || argv.include?("--") || program.to_s.start_with?("-")

        right = "spate boot profile -- #{argv.drop(1).join(" ")}"
        raise UsageError.new(e.message, hint: "`--` before the command: #{right}")
      end

      def run
        name, *rest = operands
        unless SUBCOMMANDS.key?(name)
          near = name && Ground::Suggestion.near(name, SUBCOMMANDS.keys)
          message = name ? "boot has no command #{name.inspect}" : "which of #{SUBCOMMANDS.keys.join(", ")}?"
          raise UsageError.new(message, hint: near ? "did you mean `spate boot #{near}`?" : "spate boot --help")
        end

        native
        Boot.const_get(SUBCOMMANDS[name]).new(rest, values: values, terminal: terminal, context: context).run
      end

      private

      def native
        require "spate/native/boot"
      rescue LoadError => e
        raise Unavailable, e.message
      end
    end
  end
end
