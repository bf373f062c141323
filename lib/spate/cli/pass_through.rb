# frozen_string_literal: true

module Spate
  module CLI
    # Runs Bundler's own commands. When a command resolves, its output is hidden and Spate reports what changed. After
    # add, remove and update, Spate installs. Other commands print to this terminal. All failures are reported as
    # Spate's errors.
    class PassThrough
      autoload :Failure, "spate/cli/pass_through/failure"
      autoload :GemfileChange, "spate/cli/pass_through/changes"
      autoload :LockfileChange, "spate/cli/pass_through/changes"

      # Bundler's commands up to version 4, also used for suggestions for unknown commands.
      COMMANDS = %w[
        add binstubs cache clean config console env exec fund gem info init inject issue licenses lock
        open outdated package platform plugin pristine remove show update viz
      ].freeze
      RESOLVING = %w[add remove update lock].freeze
      # Bundler has it for `add` only.
      SKIP = "--skip-install"
      # Options of `bundle update` with which Bundler also installs.
      INSTALLING = /\A--(bundler|redownload|force|full-index)(=|\z)/
      # Options of `bundle update` that every `bundle lock --update` supports.
      LOCK_OPTIONS = /\A--(all|conservative|strict|patch|minor|major|pre|local|quiet)\z/
      # Commands that work without a Gemfile.
      ANYWHERE = %w[config env exec gem help init issue plugin version].freeze
      # Commands that need the terminal.
      INTERACTIVE = %w[console open help].freeze
      # Exit status of `bundle outdated` when a gem is outdated.
      OUTDATED = 1
      EDITORS = %w[BUNDLER_EDITOR VISUAL EDITOR].freeze

      def initialize(name, argv, terminal:, env:)
        @name = name
        @argv = argv
        @terminal = terminal
        @env = env
      end

      def run
        raise unknown unless known?
        return plain if help? || !RESOLVING.include?(@name) || @argv.include?("--print")

        @terminal.quiet = true if @argv.include?("--quiet")
        context.location # raises if there is no Gemfile
        return LockMerge.new(@argv - [LockMerge::OPTION], context, @terminal).run if merge?
        return update_by_bundler if @name == "update" && @argv.any?(INSTALLING)

        return tell_unchanged if unchanged&.known?

        Resolve::Turn.take(context.location.gemfile, waiting: method(:tell_waiting)) { resolve }
        unchanged&.remember unless @resolved
        @name == "lock" || @argv.include?(SKIP) ? 0 : install
      end

      # Runs Bundler's command unchanged. Returns its exit status, or replaces this process.
      def plain
        context.location unless help? || ANYWHERE.include?(@name) || !COMMANDS.include?(@name)
        open if @name == "open" && !help?
        forget if @name == "pristine" && !help?
        return Gemfile::BundleCommand.exec([@name, *@argv], env: @env.to_h) if interactive?

        report([@name, *@argv])
      end

      # The arguments for Bundler (Array of String). Skips Bundler's installation if the command has an option for it.
      def command
        case @name
        when "add" then ["add", *(@argv | [SKIP])]
        when "remove" then ["remove", *(@argv - ["--install", SKIP])]
        when "update" then update
        else [@name, *@argv]
        end
      end

      # Options of the command that also apply to the install after it (Array of String).
      def install_options
        at = @argv.index("--gemfile")
        [*@argv.grep(/\A(--quiet|--gemfile=.*)\z/), *(@argv[at, 2] if at)]
      end

      private

      def merge? = @name == "lock" && @argv.include?(LockMerge::OPTION)

      def help? = @argv.intersect?(%w[-h --help])

      def interactive? = help? || INTERACTIVE.include?(@name) || !(COMMANDS | CLI::COMMANDS.keys).include?(@name)

      def context
        @context ||= begin
          at = @argv.index("--gemfile")
          gemfile = @argv.grep(/\A--gemfile=/).last&.delete_prefix("--gemfile=") || (@argv[at + 1] if at)
          Command::Context.new(values: { gemfile: gemfile }.compact, env: @env, terminal: @terminal)
        end
      end

      # For `spate lock` without options.
      def unchanged = (@unchanged ||= Resolve::Unchanged.new(context) if @name == "lock" && @argv.empty?)

      def tell_unchanged
        @terminal.tell "#{File.basename(lockfile)} is unchanged"
        0
      end

      def tell_waiting
        @terminal.tell Util::Terminal.plain("waiting: another process changes #{context.location.gemfile}")
      end

      # Runs Bundler to resolve, and reports what changed.
      def resolve
        change = LockfileChange.new(lockfile)
        gemfile = GemfileChange.new(context.location.gemfile)
        @terminal.tell Util::Terminal.plain("Bundler resolves: bundle #{command.join(" ")}")
        quietly(command)
        quietly(["lock"]) if @name == "remove" # Bundler's `remove` only changes the Gemfile
        @resolved = change.any?
        [*gemfile.line, *change.lines].each { |line| @terminal.tell Util::Terminal.plain(line) }
      end

      def quietly(words)
        _, errors = Gemfile::BundleCommand.quietly(words, env: context.env)
        warnings(errors)
      rescue Gemfile::BundlerFailed => e
        raise Failure.new(@name, @argv, context).of(e)
      end

      def lockfile
        at = @argv.index("--lockfile")
        given = @argv.grep(/\A--lockfile=/).last&.delete_prefix("--lockfile=") || (@argv[at + 1] if at)
        @name == "lock" && given ? File.expand_path(given) : context.location.lockfile
      end

      def update_by_bundler
        option = @argv.grep(INSTALLING).first
        @terminal.tell Util::Terminal.plain("running Bundler for #{option}: bundle update #{@argv.join(" ")}")
        change = LockfileChange.new(lockfile)
        status = report(command)
        @resolved = change.any?
        change.lines.each { |line| @terminal.tell Util::Terminal.plain(line) }
        status.zero? ? install : status
      end

      def install
        values, operands = CLI::Install.parse(install_options)
        values[:resolved] = true if @resolved
        CLI::Install.new(values, operands, terminal: @terminal, env: @env).run
      end

      # Runs Bundler on this terminal. Returns its exit status; raises a failure that came with a message on stderr.
      def report(words)
        status, errors = Gemfile::BundleCommand.report(words, env: @env.to_h)
        if status.zero? || errors.empty? || (@name == "outdated" && status == OUTDATED)
          warnings(errors)
          return status
        end

        raise Failure.new(@name, @argv, context).of(Gemfile::BundleCommand.failure(words, status, "", errors))
      end

      def warnings(text)
        @terminal.err.write(text) unless @terminal.quiet?
      end

      # Gives this bundle its own copies of the files first: an editor writes in place, and other bundles may share the
      # files.
      def open
        if EDITORS.all? { |name| @env[name].to_s.empty? }
          raise UsageError.new("`spate open` needs an editor: none of #{EDITORS.join(", ")} is set",
                               hint: "EDITOR=vi spate open GEM; `spate edit GEM` prints the gem's folder")
        end

        gem = @argv.find { |word| !word.start_with?("-") } or return
        Edit.new({ quiet_path: true }, [gem], terminal: @terminal, env: @env).run
      rescue ::Spate::Install::UnknownGemError
        raise unless part_of_a_name?(gem)
      end

      # Whether the word is part of a gem's name, since Bundler also matches parts of names.
      def part_of_a_name?(word)
        [*context.lockfile.specs.map(&:name), "bundler"].any? { |name| name.match?(/#{word}/i) }
      rescue RegexpError
        true
      end

      # Invalidates stored builds, so that the install after `pristine` does not use older ones.
      def forget
        invalidations = Build::Cache::Invalidations.of(context.store)
        names = @argv.grep_v(/\A-/)
        names = context.lockfile.specs.map(&:full_name) if names.empty?
        names.flat_map { |name| invalidations.matching(name) }.each { |full_name| invalidations.forget(full_name) }
      rescue Error => e
        @terminal.warning("builds in the store were not removed: #{e.message}", hint: e.hint)
      end

      def update
        words = @argv - [SKIP]
        return ["update", *words] unless words.grep(/\A-/).all?(LOCK_OPTIONS)

        ["lock", "--update", *(words - ["--all", "--quiet"])]
      end

      def known? = COMMANDS.include?(@name) || plugin?

      # Whether the command belongs to a Bundler plugin or is a program `bundler-NAME`.
      def plugin?
        return false unless @name.match?(/\A[a-z][\w-]*\z/)

        @env["PATH"].to_s.split(":").any? { |dir| File.executable?(File.join(dir, "bundler-#{@name}")) } ||
          plugin_indexes.any? { |index| File.file?(index) && File.read(index).match?(/^ +#{Regexp.escape(@name)}:/) }
      end

      def plugin_indexes
        [File.join(Dir.pwd, ".bundle/plugin/index"), File.join(@env["HOME"].to_s, ".bundle/plugin/index")]
      end

      def unknown
        return unknown_option if @name.start_with?("-")

        near = Util::Suggestion.near(@name, CLI::COMMANDS.keys + COMMANDS)
        UsageError.new("neither Spate nor Bundler has a command #{@name.inspect}",
                       hint: near ? "did you mean `spate #{near}`?" : "`spate help` lists the commands")
      end

      def unknown_option
        command = @argv.find { |word| CLI::COMMANDS.key?(word) }
        hint = command ? "options come after the command: spate #{command} #{@name}" : "spate help"
        UsageError.new("unknown option #{@name}", hint: hint)
      end
    end
  end
end
