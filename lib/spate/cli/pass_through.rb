# frozen_string_literal: true

module Spate
  module CLI
    # Runs commands of Bundler. If a command resolves, Spate hides its output and reports the changes. After add, remove
    # and update, Spate installs the bundle. Other commands print to the terminal. All failures are reported as errors
    # of Spate.
    class PassThrough
      autoload :Failure, "spate/cli/pass_through/failure"
      autoload :GemfileChange, "spate/cli/pass_through/changes"
      autoload :LockfileChange, "spate/cli/pass_through/changes"

      # The commands of Bundler up to version 4. Also used to suggest a name for an unknown command.
      COMMANDS = %w[
        add binstubs cache clean config console env exec fund gem info init inject issue licenses lock
        open outdated package platform plugin pristine remove show update viz
      ].freeze
      RESOLVING = %w[add remove update lock].freeze
      # Bundler supports this option only for `add`.
      SKIP = "--skip-install"
      # Options of `bundle update` for which Bundler also installs the bundle.
      INSTALLING = /\A--(bundler|redownload|force|full-index)(=|\z)/
      # Options of `bundle update` that `bundle lock --update` supports in all versions.
      LOCK_OPTIONS = /\A--(all|conservative|strict|patch|minor|major|pre|local|quiet)\z/
      # Commands that work without a Gemfile.
      ANYWHERE = %w[config env exec gem help init issue plugin version].freeze
      # Commands that need the terminal.
      INTERACTIVE = %w[console open help].freeze
      # Exit status of `bundle outdated` when a gem is outdated.
      OUTDATED = 1
      # Bundler's last lines list newer versions that a cooldown excludes.
      SKIPPED = /\AThe following gem versions were skipped by the cooldown setting:\z/
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
        return turn { LockMerge.new(@argv - [LockMerge::OPTION], context, @terminal).run } if merge?
        return update_by_bundler if @name == "update" && @argv.any?(INSTALLING)

        return print_unchanged if unchanged&.known?

        turn { resolve }
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

      # The arguments for Bundler ([String]). Uses a command or option that does not install, if there is one.
      def command
        case @name
        when "add" then ["add", *(@argv | [SKIP])]
        when "remove" then ["remove", *(@argv - ["--install", SKIP])]
        when "update" then update
        else [@name, *@argv]
        end
      end

      # Options of the command that also apply to the install after it ([String]).
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

      # Used only for `spate lock` without options.
      def unchanged = (@unchanged ||= Resolve::Unchanged.new(context) if @name == "lock" && @argv.empty?)

      def print_unchanged
        @terminal.info "#{File.basename(lockfile)} is unchanged"
        0
      end

      # Runs the block while no other command of Spate changes the bundle.
      def turn
        # Installing the packages of a package.json locks the same folder, and waits for its scripts.
        held = ::Spate::Install::FolderLock.method(:held?)
        Resolve::Turn.take(context.location.gemfile, waiting: method(:print_waiting), held: held) do
          Resolve::Turn.sweep([context.location.gemfile, lockfile])
          yield
        end
      end

      def print_waiting
        @terminal.info Util::Terminal.plain("waiting: another process is changing a Gemfile in " \
                                            "#{context.location.root}")
      end

      # Runs Bundler to resolve, and reports the changes.
      def resolve
        change = LockfileChange.new(lockfile)
        gemfile = GemfileChange.new(context.location.gemfile)
        @terminal.info Util::Terminal.plain("Bundler resolves: bundle #{command.join(" ")}")
        capture_output(command)
        capture_output(["lock"]) if only_gemfile?
        @resolved = change.any?
        [*gemfile.line, *change.lines, *@skipped].each { |line| @terminal.info Util::Terminal.plain(line) }
      end

      # Whether Bundler's command leaves the lockfile to the install. `add --strict` may write another requirement than
      # the version that it has resolved: 1.1 instead of 1.1.1.
      def only_gemfile? = @name == "remove" || (@name == "add" && @argv.include?("--strict"))

      def capture_output(words)
        output, errors = Gemfile::BundleCommand.capture_output(words, env: context.env)
        @skipped = output.lines(chomp: true).drop_while { |line| !line.match?(SKIPPED) }
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
        @terminal.info Util::Terminal.plain("running Bundler for #{option}: bundle update #{@argv.join(" ")}")
        change = LockfileChange.new(lockfile)
        status = report(command)
        @resolved = change.any?
        change.lines.each { |line| @terminal.info Util::Terminal.plain(line) }
        status.zero? ? install : status
      end

      def install
        values, operands = CLI::Install.parse(install_options)
        values[:resolved] = true if @resolved
        CLI::Install.new(values, operands, terminal: @terminal, env: @env).run
      end

      # Runs Bundler on this terminal. Returns its exit status. Raises an error if Bundler failed with a message on
      # stderr.
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

      # Copies the gem's files first (`spate edit`), because an editor writes in place and other bundles may share the
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

      # Whether the word is part of a gem's name. Bundler also accepts parts of names.
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
