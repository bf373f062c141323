# frozen_string_literal: true

module Spate
  module CLI
    class PassThrough
      # Converts a failure of Bundler to an error of Spate, by Bundler's exit status. Spate never rejects a command that
      # Bundler accepts.
      class Failure
        # Exit statuses of Bundler's error classes.
        GEMFILE = 4
        NO_GEM = 7
        NO_GEMFILE = 10
        OPTION = 15
        NO_LOCKFILE = 22
        # Commands that query sources. For these, status 7 means that resolving failed.
        RESOLVE = %w[add lock update].freeze

        # The line that Spate::Resolve adds to a "gem not found" error: a similar name among gems that this machine has
        # used.
        SUGGESTION = /\ADid you mean \S+\?\z/

        # The command needs gems that are not installed.
        class Incomplete < Error
          EXIT_CODE = 11

          def initialize(name, lines)
            super("`spate #{name}` needs an installed bundle", details: lines, hint: "spate install")
          end
        end

        # argv: the arguments after the command's name. context: Command::Context.
        def initialize(name, argv, context)
          @name = name
          @argv = argv
          @context = context
        end

        # error: Gemfile::BundlerFailed. Returns the error to raise.
        def of(error)
          case error.status
          when NO_GEMFILE then Gemfile::NotFound.new(Dir.pwd)
          when NO_LOCKFILE then Incomplete.new(@name, error.details)
          when OPTION then usage(error.details)
          when GEMFILE, NO_GEM then about_gems(error) || error
          else error
          end
        end

        private

        def usage(lines)
          first, *rest = lines.map { |line| line.delete_prefix("ERROR: ").gsub("bundle #{@name}", "spate #{@name}") }
          UsageError.new(first, hint: "spate help #{@name}", details: rest)
        end

        def about_gems(error)
          near = error.details.find { |line| line.match?(SUGGESTION) }
          return failed(error, near.sub("Did", "did"), error.details - [near]) if near

          case @name
          when "add" then add(error)
          when "remove" then remove(error) || other(error)
          else other(error)
          end
        end

        def add(error)
          hint = "check the name; for a gem from another source: spate add NAME --source URL"
          hint = "the gem is already in the Gemfile: edit its line, then run spate install" if error.status == GEMFILE
          failed(error, hint) if error.status == NO_GEM || (names & locked).any?
        end

        def remove(error)
          name = named(error, names & locked)
          failed(error, "not in the Gemfile; to see what requires it: spate why #{name}") if name
        end

        def failed(error, hint, details = error.details)
          Gemfile::BundlerFailed.new([@name, *@argv], error.status, details, hint: hint)
        end

        def named(error, gems)
          gems.find { |name| error.details.join("\n").match?(/['`]#{Regexp.escape(name)}['`]/) }
        end

        def other(error)
          unknown = named(error, names - locked)
          return ::Spate::Install::UnknownGemError.new(unknown, locked) if unknown && locked.any?

          Incomplete.new(@name, error.details) if error.status == NO_GEM && !RESOLVE.include?(@name)
        end

        def names = @argv.grep_v(/\A-/)

        def locked
          @locked ||= @context.lockfile.specs.map(&:name).uniq
        rescue Error
          @locked = [] # no lockfile, or one that cannot be read
        end
      end
    end
  end
end
