# frozen_string_literal: true

module Spate
  module CLI
    # Every command that is Bundler's own. Those with which Bundler would install run as a child, without that where it
    # lets them, and Spate installs afterwards; any other replaces this process, so what only asks installs nothing.
    class PassThrough
      # Bundler's commands up to version 4; also what the spelling of an unknown command is compared with.
      COMMANDS = %w[
        add binstubs cache clean config console env exec fund gem info init inject issue licenses lock
        open outdated package platform plugin pristine remove show update viz
      ].freeze
      THEN_INSTALL = %w[update add remove].freeze
      # What every `bundle lock --update` understands of `bundle update`; with any other option Bundler updates itself.
      LOCK_OPTIONS = /\A--(all|conservative|strict|patch|minor|major|pre|local)\z/

      def initialize(name, argv, terminal:, env:)
        @name = name
        @argv = argv
        @terminal = terminal
        @env = env
      end

      def run
        raise unknown unless known?

        part if @name == "open"
        return plain unless THEN_INSTALL.include?(@name) && (@argv & %w[-h --help]).empty?

        status = Gemfile::BundleCommand.run(command, env: @env.to_h)
        status.zero? && installs? ? CLI::Install.run(install_options, terminal: @terminal, env: @env) : status
      end

      # An editor writes in place, and the files may be other bundles', too: they become this bundle's alone first.
      def part
        gem = @argv.find { |word| !word.start_with?("-") } or return

        Edit.new({ quiet_path: true }, [gem], terminal: @terminal, env: @env).run
      rescue UsageError, ::Spate::Install::UnknownGemError, Gemfile::NotFound
        nil # Bundler says what is wrong with it
      end

      # Bundler's command as it was given, in place of this process.
      def plain
        forget if @name == "pristine" && (@argv & %w[-h --help]).empty?
        Gemfile::BundleCommand.exec([@name, *@argv], env: @env.to_h)
      end

      # The command for Bundler (Array of String): the same, without its own installation where there is a way.
      def command
        case @name
        when "add" then ["add", *@argv, *("--skip-install" unless @argv.include?("--skip-install"))]
        when "remove" then ["remove", *@argv.reject { |word| word == "--install" }]
        when "update" then update
        else [@name, *@argv]
        end
      end

      # What Bundler was told and the install after it has to know, too (Array of String).
      def install_options
        at = @argv.index("--gemfile")
        [*@argv.grep(/\A(--quiet|--gemfile=.*)\z/), *(@argv[at, 2] if at)]
      end

      private

      # Whoever wants gems as new wants no build again that was made before.
      def forget
        context = Command::Context.new(values: {}, env: @env, terminal: @terminal)
        invalidations = Build::Cache::Invalidations.of(context.store)
        names = @argv.grep_v(/\A-/)
        names = context.lockfile.specs.map(&:full_name) if names.empty?
        names.flat_map { |name| invalidations.matching(name) }.each { |full_name| invalidations.forget(full_name) }
      rescue Error => e
        @terminal.warning("builds in the store are not forgotten: #{e.message}", hint: e.hint)
      end

      def update
        options = @argv.grep(/\A-/)
        return ["update", *@argv] unless options.all?(LOCK_OPTIONS)

        ["lock", "--update", *(@argv - ["--all"])]
      end

      def installs? = !@argv.include?("--skip-install")

      def known? = COMMANDS.include?(@name) || plugin?

      # A Bundler plugin's command, or a program `bundler-NAME`.
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

        near = Ground::Suggestion.near(@name, CLI::COMMANDS.keys + COMMANDS)
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
