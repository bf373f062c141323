# frozen_string_literal: true

module Spate
  module Gemfile
    # Runs `bundle`, to resolve and to write a Gemfile or lockfile. Bundler runs in a child process with the user's
    # environment, without changes by Spate or `bundle exec`.
    module BundleCommand
      SCRIPT = File.expand_path("child/bundle.rb", __dir__)
      # Loaded by SCRIPT for commands that resolve: see Resolve.
      RESOLVE = File.expand_path("../resolve/child/main.rb", __dir__)
      RESOLVING = %w[lock add remove update].freeze
      # The maximum number of lines of stderr, and of stdout, in an error message.
      LINES = 20
      BEFORE = 4
      WARNING = "warning: "
      # The start of a line with a hint, which Resolve adds to Bundler's message.
      HINT = "hint: "
      # The width at which Bundler wraps its messages: wide enough to leave their lines whole.
      WIDTH = "1000"
      # Matches lines that do not describe the failure.
      PROGRESS = /\A(\z|(Fetching|Resolving|Retrying|Removing gems|Writing lockfile) )/

      module_function

      # Runs `bundle ARGUMENTS` on this terminal and returns its exit status (Integer; 128 + n for a signal). location:
      # the bundle's location, or nil to let Bundler find it.
      def run(arguments, location: nil, settings: nil, env: nil)
        pid = Process.spawn(environment(location, settings, env), *command(arguments), unsetenv_others: true)
        status = Process.wait2(pid).last
        status.exitstatus || (128 + status.termsig)
      rescue ::Interrupt
        # The terminal also sends Ctrl-C to the child. Waits until the child has exited.
        Process.wait(pid) if pid
        raise
      end

      # Replaces this process with `bundle ARGUMENTS`.
      def exec(arguments, location: nil, settings: nil, env: nil)
        Process.exec(environment(location, settings, env), *command(arguments), unsetenv_others: true)
      end

      # Runs `bundle ARGUMENTS` and returns [exit status, stderr]. The child uses this process's stdin and stdout.
      def report(arguments, env: nil)
        reading, writing = IO.pipe
        pid = Process.spawn(environment(nil, nil, env), *command(arguments), err: writing, unsetenv_others: true)
        writing.close
        errors = reading.read
        status = Process.wait2(pid).last
        [status.exitstatus || (128 + status.termsig), errors]
      rescue ::Interrupt => e
        Process.kill(:TERM, pid) if pid && e.message == "SIGTERM" # for Ctrl-C, the terminal has already sent SIGINT
        Process.wait(pid) if pid
        raise
      ensure
        [reading, writing].each { |pipe| pipe&.close }
      end

      # Runs `bundle ARGUMENTS` quietly and returns its stdout. Raises BundlerFailed with its messages.
      def capture(...) = capture_output(...).first

      # Runs `bundle ARGUMENTS` and returns [stdout, stderr]. Raises BundlerFailed with its output.
      def capture_output(arguments, location = nil, settings = nil, env: nil)
        variables = environment(location, settings, env).merge("THOR_COLUMNS" => WIDTH)
        variables = variables.merge("SPATE_RESOLVE" => RESOLVE) if RESOLVING.include?(arguments.first)
        out, errors, status = outputs(variables, command(arguments))
        raise failure(arguments, status.exitstatus || status.to_s, out, errors) unless status.success?

        [out, errors]
      end

      # Runs Bundler to update the lockfile to match the Gemfile. Returns the warnings of Resolve. Raises
      # BundlerFailed, or Disagreement if the bundle is frozen. difference: lines for the Disagreement.
      def lock(location, settings, difference: [])
        raise Disagreement.new(location, difference) if settings.frozen?

        _, errors = capture_output(["lock"], location, settings)
        errors.lines(chomp: true).filter_map { |line| line.delete_prefix(WARNING) if line.start_with?(WARNING) }
      end

      # Runs Bundler for the last steps of an install: binstubs for the setting `bin`, archives in vendor/cache.
      def finish(location, settings) = capture(["install", "--local"], location, settings)

      # Runs `bundle install`, for settings that only Bundler supports. Returns the exit status.
      def install(location, settings, arguments = [])
        run(["install", *arguments], location: location, settings: settings)
      end

      # Runs a command without input. Returns [stdout, stderr, Process::Status].
      def outputs(variables, command)
        require "open3"
        Open3.popen3(variables, *command, unsetenv_others: true) do |input, *streams, child|
          input.close
          readers = streams.map { |stream| Thread.new { stream.read } }
          readers.each { |reader| reader.report_on_exception = false } # an interrupt closes the pipes
          [*readers.map(&:value), child.value]
        rescue ::Interrupt => e
          Process.kill(:TERM, child.pid) if e.message == "SIGTERM" && child.alive? # Ctrl-C also reaches the child
          raise
        end
      end
      private_class_method :outputs

      def command(arguments) = [Util::Ruby.path, SCRIPT, *arguments]
      private_class_method :command

      # Passes the command-line flags as environment variables, because Bundler does not support Spate's options.
      def environment(location, settings, env)
        clean = Util::Environment.clean(env || settings&.env || ENV)
        clean["BUNDLE_GEMFILE"] = location.gemfile if location
        settings ? clean.merge(settings.levels[:flag].transform_values(&:to_s)) : clean
      end
      private_class_method :environment

      # status: Integer, or a text if a signal ended Bundler. out, errors: its output.
      def failure(arguments, status, out, errors)
        before, words = [out, errors].map do |text|
          plain = text.dup.force_encoding(Encoding::UTF_8).scrub.gsub(/\e\[[\d;]*m/, "")
          plain.lines(chomp: true).grep_v(PROGRESS)
        end
        hints, words = words.partition { |line| line.start_with?(HINT) }
        lines = shortened(before, words.empty? ? LINES : BEFORE) + shortened(words, LINES)
        BundlerFailed.new(arguments, status, lines, hint: hints.first&.delete_prefix(HINT))
      end

      # Omits lines in the middle. Bundler prints the error first, then a list of existing versions, which may be long.
      def shortened(lines, most)
        return lines if lines.length <= most

        last = most / 4
        first = most - last - 1
        [*lines.first(first), "(#{lines.length - first - last} lines left out)", *lines.last(last)]
      end
      private_class_method :shortened
    end
  end
end
