# frozen_string_literal: true

module Spate
  module CLI
    # `spate exec COMMAND`: runs a program in the bundle, as `bundle exec` does, with everything that speeds up its
    # boot. The program handles its own exceptions, signals and exit codes.
    class Exec < Command
      autoload :NodeModules, "spate/cli/exec/node_modules"

      NO_COMMAND = 128
      # Bundler itself must not run with the Bundler replay.
      BUNDLER = %w[bundle bundler].freeze

      summary "Run a program in the bundle, with a fast boot"
      usage "spate exec [options] COMMAND [ARGUMENTS]"
      option :gemfile, "--gemfile", "FILE", "the Gemfile to use, instead of the nearest one"
      option :keep_file_descriptors, "--[no-]keep-file-descriptors", "pass open files on to the program (the default)"
      option :verbose, "--verbose", "print a backtrace if the bundle cannot be set up (SPATE_VERBOSE=1)"
      option :help, "-h", "--help", "print this help"
      example "spate exec bin/rails server", "start Rails from compile caches"
      example "SPATE_BOOT=0 spate exec rake", "run without compile caches"
      note "The first boot records what it loads, and builds the compile caches in the background; later ones use\n" \
           "them. See docs/boot.md for the parts and their switches."

      def self.call(argv, out:, err:, env: ENV)
        words = argv.take_while { |word| word.start_with?("-") && word != "--" }
        words << argv[words.length] if words.last == "--gemfile" && argv[words.length]
        values = read(words, err) or return UsageError::EXIT_CODE
        return Help::Text.new(self).print(out) if values[:help]

        rest = argv.drop(words.length)
        rest.shift if rest.first == "--"
        return no_command(err) if rest.empty?

        env["SPATE_VERBOSE"] = "1" if values[:verbose]
        name_gemfile(values[:gemfile] || env["BUNDLE_GEMFILE"], env)
        boxed(rest, values[:keep_file_descriptors]) if defined?(::Ruby::Box) && ::Ruby::Box.enabled?
        start(rest, close_others: values[:keep_file_descriptors] == false)
      end

      # Sets an absolute path, since programs started by the program may run in other folders.
      def self.name_gemfile(path, env)
        env["BUNDLE_GEMFILE"] = File.expand_path(path) unless path.to_s.empty?
      end

      # Whether a program may need the variables about node_modules (a package.json exists) or inherited them.
      def self.modules? = File.file?("package.json") || ENV.key?("SPATE_NODE_MODULES")

      def self.boot(command)
        ::Spate::Boot.start(program: :exec) unless BUNDLER.include?(File.basename(command.first))
        ::Spate::Boot::Exec::BundlerSetup.environment unless ::Spate::Boot.session
      end
      private_class_method :modules?, :boot

      # Replaces the process by another Ruby, if needed, before anything is prepared in this process.
      def self.start(command, close_others: false)
        # As with `bundle exec`, INT interrupts the program even if a shell started it in the background and ignores
        # INT.
        Signal.trap("INT", "DEFAULT")
        NodeModules.tell if (modules = modules?)
        if ::Spate::Boot::Switches.new.prelude?
          ::Spate::Boot::Exec::Interpreter.again(command.first, command.drop(1), close_others: close_others)
          ::Spate::Boot::Exec::Interpreter.spate([*("--no-keep-file-descriptors" if close_others)], command)
        end
        ::Spate::Boot.leave
        parent = warm_parent
        modules ? NodeModules.aside { boot(command) } : boot(command)
        parent ? command = parent.call : offer(command)
        ::Spate::Boot::Exec::Program.new(command.first, command.drop(1), complete: method(:complete?),
                                                                         close_others: close_others).run
        0
      end

      # A Boot::WarmParent, if this process is to be one.
      def self.warm_parent
        ::Spate::Boot::WarmParent.from(ENV) if ENV.key?("SPATE_WARM_PARENT")
      end

      # Has such a parent made for later commands.
      def self.offer(command)
        session = ::Spate::Boot.session
        return unless session&.caches && session.application.gemfile && warm?(session)

        ::Spate::Boot::WarmParent::Offer.start(command, session.application.root, session.environment)
      end

      # Whether warm boots are on: as CLI::Warm::Place#on?.
      def self.warm?(session)
        name = Native.content_hash(nil, session.application.root)
        session.environment["SPATE_WARM"] == "1" || File.exist?("#{session.caches.store_root}/warm/#{name}.on")
      end
      private_class_method :warm_parent, :offer, :warm?

      # Whether every gem of the bundle is installed. Called in the program's process.
      def self.complete?
        ::Spate::Boot.at_home do
          require "spate"
          context = Context.new(values: {}, env: ENV, terminal: nil)
          result = ::Spate::Install::Check::Checker.new(location: context.location, settings: context.settings,
                                                        store: context.store).run
          result.difference.nil? && result.missing.empty?
        end
      rescue StandardError, LoadError
        false
      end

      # Runs the program by Bundler (RUBY_BOX=1): only Bundler's own code sets up the program's box and what it can
      # require.
      def self.boxed(command, keep_file_descriptors)
        option = { true => "--keep-file-descriptors", false => "--no-keep-file-descriptors" }[keep_file_descriptors]
        Gemfile::BundleCommand.exec(["exec", *option, *command], env: ENV.to_h)
      end

      # The options before the program, or nil if they are invalid.
      def self.read(words, err)
        Parser.new(options, help: "spate exec --help").parse(words).first
      rescue UsageError => e
        err.puts "error: #{e.message}", "hint: #{e.hint}"
      end

      def self.no_command(err)
        err.puts "error: exec needs a command to run", "hint: spate exec COMMAND"
        NO_COMMAND
      end
      private_class_method :name_gemfile, :boxed, :read, :no_command
    end
  end
end
