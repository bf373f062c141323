# frozen_string_literal: true

module Spate
  # The command line. Runs a command with argv, two streams and an environment, and returns an exit code. It uses all
  # other components; they do not use it. Each command loads only its own file.
  module CLI
    autoload :Add, "spate/cli/add"
    autoload :Boot, "spate/cli/boot"
    autoload :Cache, "spate/cli/cache"
    autoload :Check, "spate/cli/check"
    autoload :Command, "spate/cli/command"
    autoload :Completion, "spate/cli/completion"
    autoload :Doctor, "spate/cli/doctor"
    autoload :Edit, "spate/cli/edit"
    autoload :Exec, "spate/cli/exec"
    autoload :Explain, "spate/cli/explain"
    autoload :Help, "spate/cli/help"
    autoload :InPlace, "spate/cli/in_place"
    autoload :Install, "spate/cli/install"
    autoload :JS, "spate/cli/js"
    autoload :List, "spate/cli/list"
    autoload :Lock, "spate/cli/lock"
    autoload :LockMerge, "spate/cli/lock_merge"
    autoload :Outdated, "spate/cli/outdated"
    autoload :Output, "spate/cli/output"
    autoload :PassThrough, "spate/cli/pass_through"
    autoload :Remove, "spate/cli/remove"
    autoload :Restore, "spate/cli/restore"
    autoload :Serve, "spate/cli/serve"
    autoload :Setup, "spate/cli/setup"
    autoload :Signals, "spate/cli/signals"
    autoload :Store, "spate/cli/store"
    autoload :Timeline, "spate/cli/timeline"
    autoload :Tree, "spate/cli/tree"
    autoload :Units, "spate/cli/units"
    autoload :Update, "spate/cli/update"
    autoload :Version, "spate/cli/version"
    autoload :Why, "spate/cli/why"
    autoload :Warm, "spate/cli/warm"

    # Name on the command line => constant, in the order of the help text.
    COMMANDS = {
      "install" => :Install, "js" => :JS, "exec" => :Exec, "boot" => :Boot, "warm" => :Warm, "serve" => :Serve,
      "add" => :Add, "remove" => :Remove, "update" => :Update, "lock" => :Lock,
      "check" => :Check, "list" => :List, "outdated" => :Outdated, "why" => :Why, "tree" => :Tree,
      "explain" => :Explain, "store" => :Store, "cache" => :Cache, "edit" => :Edit, "restore" => :Restore,
      "doctor" => :Doctor, "setup" => :Setup, "completion" => :Completion, "version" => :Version, "help" => :Help
    }.freeze

    # Commands that run the user's program. With RUBY_BOX=1 they stay in a box.
    BOXED = %w[serve console].freeze

    # Commands that disable the GC until there is work to do.
    IDLE = %w[install i js].freeze

    ALIASES = {
      "i" => "install", "e" => "exec", "-v" => "version", "--version" => "version", "-h" => "help", "--help" => "help"
    }.freeze

    # Runs a command and reports errors. A program that `exec` runs handles its signals and exceptions itself.
    #
    # @param argv [Array<String>] the words after `spate`
    # @param out [IO, StringIO] for data
    # @param err [IO, StringIO] for progress and messages
    # @param env [ENV, Hash{String => String}]
    # @return [Integer] the exit code (docs/exit-codes.md)
    def self.start(argv, out: $stdout, err: $stderr, env: ENV)
      # Checks ENV first, so that a boot does not load SigningKey unnecessarily.
      Util::SigningKey.withhold if env.equal?(ENV) && env.key?("SPATE_CACHE_KEY")
      return Exec.call(argv.drop(1), out: out, err: err) if %w[exec e].include?(argv.first)

      return guarded(argv, out, err, env) unless env.equal?(ENV)

      unbox(argv) if defined?(::Ruby::Box) && ::Ruby::Box.enabled?
      GC.disable if IDLE.include?(argv.first) # a run with nothing to do ends before a collection would pay off
      require "spate/self_cache"
      SelfCache.use
      guarded(argv, out, err, env).tap { SelfCache.renew }
    end

    # Restarts without boxes. Inside a box, Marshal does not find Spate's classes, and a late-loaded RubyGems finds no
    # gems.
    def self.unbox(argv)
      return if BOXED.include?(argv.first)

      program = File.expand_path("../../exe/spate", __dir__)
      key = Util::SigningKey
      env = { "RUBY_BOX" => nil, ::Spate::Boot::Switches::BOX => "1", key::VARIABLE => key.of(ENV) }
      Process.exec(env, Util::Ruby.path, "--disable-gems", program, *argv)
    end

    def self.guarded(argv, out, err, env)
      terminal = Util::Terminal.new(out: out, err: err, env: env)
      Signals.guard { dispatch(argv.dup, terminal, env) }
    rescue SystemExit => e
      e.status
    rescue Errno::EPIPE
      Util::Failure::BROKEN_PIPE
    rescue Exception => e # rubocop:disable Lint/RescueException -- the last place to report an error
      Util::Failure.new(e, argv: argv, terminal: terminal).report
    end

    private_class_method :unbox, :guarded

    def self.dispatch(argv, terminal, env)
      name = argv.shift || "help"
      name = ALIASES.fetch(name, name)
      return const_get(COMMANDS[name]).run(argv, terminal: terminal, env: env) if COMMANDS.key?(name)

      PassThrough.new(name, argv, terminal: terminal, env: env).run
    end
    private_class_method :dispatch
  end
end
