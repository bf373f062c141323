# frozen_string_literal: true

module Spate
  module CLI
    # `spate exec COMMAND`: runs a program in the bundle, as `bundle exec` does, but with a faster boot. The program
    # handles exceptions, signals and exit codes itself.
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
        run_in_box(rest, values[:keep_file_descriptors]) if defined?(::Ruby::Box) && ::Ruby::Box.enabled?
        start(rest, close_others: values[:keep_file_descriptors] == false)
      end

      # Sets an absolute path, because child processes may run in other folders.
      def self.name_gemfile(path, env)
        env["BUNDLE_GEMFILE"] = File.expand_path(path) unless path.to_s.empty?
      end

      # Whether the program may need the variables of NodeModules (a package.json exists) or has inherited them.
      def self.modules? = File.file?("package.json") || ENV.key?("SPATE_NODE_MODULES")

      def self.boot(command)
        ::Spate::Boot.start(program: :exec) unless BUNDLER.include?(File.basename(command.first))
        ::Spate::Boot::Exec::BundlerSetup.environment unless ::Spate::Boot.session
      end
      private_class_method :modules?, :boot

      # Boots and runs the command. If a different Ruby is needed, replaces this process first.
      def self.start(command, close_others: false)
        # As with `bundle exec`, SIGINT interrupts the program even if a shell started it in the background with SIGINT
        # ignored.
        Signal.trap("INT", "DEFAULT")
        NodeModules.export_variables if (modules = modules?)
        if ::Spate::Boot::Switches.new.prelude?
          ::Spate::Boot::Exec::Interpreter.exec_ruby(command.first, command.drop(1), close_others: close_others)
          ::Spate::Boot::Exec::Interpreter.spate([*("--no-keep-file-descriptors" if close_others)], command)
        end
        ::Spate::Boot.remove_from_load_path
        parent = warm_parent
        modules ? NodeModules.without_variables { boot(command) } : boot(command)
        parent ? command = parent.call : offer(command)
        ::Spate::Boot::Exec::Program.new(command.first, command.drop(1), complete: method(:complete?),
                                                                         close_others: close_others).run
        0
      end

      # Returns a Boot::WarmParent if this process was started as one, otherwise nil.
      def self.warm_parent
        ::Spate::Boot::WarmParent.from(ENV) if ENV.key?("SPATE_WARM_PARENT")
      end

      # Starts a warm parent for later commands, if warm boots are enabled.
      def self.offer(command)
        session = ::Spate::Boot.session
        return unless session&.caches && session.application.gemfile && warm?(session)
        # With a compile cache, which this boot's builder makes, the parent needs less memory.
        return if session.cache.nil? && ::Spate::Boot::Background.forbidden(session.environment).nil?

        ::Spate::Boot::WarmParent::Offer.start(command, session.application.root, session.environment)
      end

      # Whether warm boots are enabled. Must match CLI::Warm::Place#on?.
      def self.warm?(session)
        name = Native.content_hash(nil, session.application.root)
        session.environment["SPATE_WARM"] == "1" || File.exist?("#{session.caches.store_root}/warm/#{name}.on")
      end
      private_class_method :warm_parent, :offer, :warm?

      # Whether every gem of the bundle is installed. Called in the program's process.
      def self.complete?
        ::Spate::Boot.with_library do
          require "spate"
          context = Context.new(values: {}, env: ENV, terminal: nil)
          result = ::Spate::Install::Check::Checker.new(location: context.location, settings: context.settings,
                                                        store: context.store).run
          result.difference.nil? && result.missing.empty?
        end
      rescue StandardError, LoadError
        false
      end

      # Runs the program with `bundle exec` (RUBY_BOX=1), because only Bundler can set up the load path of the program's
      # box.
      def self.run_in_box(command, keep_file_descriptors)
        option = { true => "--keep-file-descriptors", false => "--no-keep-file-descriptors" }[keep_file_descriptors]
        Gemfile::BundleCommand.exec(["exec", *option, *command], env: ENV.to_h)
      end

      # Parses the options before the program. Returns nil if they are invalid.
      def self.read(words, err)
        Parser.new(options, help: "spate exec --help").parse(words).first
      rescue UsageError => e
        err.puts "error: #{e.message}", "hint: #{e.hint}"
      end

      def self.no_command(err)
        err.puts "error: exec needs a command to run", "hint: spate exec COMMAND"
        NO_COMMAND
      end
      private_class_method :name_gemfile, :run_in_box, :read, :no_command
    end
  end
end
