# frozen_string_literal: true

module Spate
  module Gemfile
    # Runs `bundle` for work that Spate leaves to Bundler: resolving, and writing a Gemfile or lockfile. Bundler runs in
    # a child process with the environment before Spate (or `bundle exec`) changed it, as if started by the user.
    module BundleCommand
      SCRIPT = File.expand_path("child/bundle.rb", __dir__)
      # Loaded by SCRIPT for commands that resolve: see Resolve.
      RESOLVE = File.expand_path("../resolve/child/main.rb", __dir__)
      RESOLVING = %w[lock add remove update].freeze
      # The maximum number of lines of Bundler's error output, and of the output before it, that an error shows.
      LINES = 20
      BEFORE = 4
      # Lines that do not describe the failure.
      PROGRESS = /\A(\z|(Fetching|Resolving|Retrying|Removing gems|Writing lockfile) )/

      module_function

      # Runs `bundle ARGUMENTS` on this terminal and returns its exit status (Integer; 128 + n for a signal). location:
      # of the bundle; nil lets Bundler find it.
      def run(arguments, location: nil, settings: nil, env: nil)
        pid = Process.spawn(environment(location, settings, env), *command(arguments), unsetenv_others: true)
        status = Process.wait2(pid).last
        status.exitstatus || (128 + status.termsig)
      rescue ::Interrupt
        # The terminal sends Ctrl-C to the child, too. The child ends first.
        Process.wait(pid) if pid
        raise
      end

      # Replaces this process by `bundle ARGUMENTS`.
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
        Process.kill(:TERM, pid) if pid && e.message == "SIGTERM" # the terminal has already sent it Ctrl-C
        Process.wait(pid) if pid
        raise
      ensure
        [reading, writing].each { |pipe| pipe&.close }
      end

      # Runs `bundle ARGUMENTS` quietly and returns its stdout. Raises BundlerFailed with its messages.
      def capture(...) = quietly(...).first

      # Runs `bundle ARGUMENTS` and returns [stdout, stderr]. Raises BundlerFailed with its output.
      def quietly(arguments, location = nil, settings = nil, env: nil)
        require "open3"
        variables = environment(location, settings, env)
        variables = variables.merge("SPATE_RESOLVE" => RESOLVE) if RESOLVING.include?(arguments.first)
        out, errors, status = Open3.capture3(variables, *command(arguments), stdin_data: "", unsetenv_others: true)
        raise failure(arguments, status.exitstatus || status.to_s, out, errors) unless status.success?

        [out, errors]
      end

      # Lets Bundler update the lockfile to match the Gemfile. Raises BundlerFailed, or Disagreement if the bundle
      # is frozen. difference: lines for that error.
      def lock(location, settings, difference: [])
        raise Disagreement.new(location, difference) if settings.frozen?

        capture(["lock"], location, settings)
      end

      # Lets Bundler do the steps after all gems are installed: scripts for the setting `bin`, archives in vendor/cache.
      def finish(location, settings) = capture(["install", "--local"], location, settings)

      # Lets Bundler install, for settings that only Bundler supports. Returns the exit status.
      def install(location, settings, arguments = [])
        run(["install", *arguments], location: location, settings: settings)
      end

      def command(arguments) = [Util::Ruby.path, SCRIPT, *arguments]
      private_class_method :command

      # This command's flags become environment variables, since Bundler does not know Spate's options.
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
        lines = shortened(before, words.empty? ? LINES : BEFORE) + shortened(words, LINES)
        BundlerFailed.new(arguments, status, lines)
      end

      # Omits the middle: Bundler prints the error first, then lists the existing versions, perhaps hundreds.
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
