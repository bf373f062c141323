# frozen_string_literal: true

module Spate
  module Gemfile
    # A child process in which Bundler evaluates a Gemfile, while its parent goes on with something else.
    class Evaluation
      SCRIPT = File.expand_path("child/main.rb", __dir__)
      # The child's file descriptor for its report; what the Gemfile prints goes elsewhere.
      REPORT = 3

      def initialize(location, settings, store, key)
        @location = location
        @settings = settings
        @store = store
        @key = key
      end

      def start
        report, report_end = IO.pipe
        noise, noise_end = IO.pipe
        channels = { REPORT => report_end, %i[out err] => noise_end, in: File::NULL }
        @pid = Process.spawn(environment, Layout::Ruby.path, SCRIPT, *arguments,
                             chdir: @location.root, close_others: true, unsetenv_others: true, **channels)
        [report_end, noise_end].each(&:close)
        @reading = [report, noise].map { |pipe| Thread.new { pipe.read.tap { pipe.close } } }
        self
      end

      # Facts. Raises EvaluationFailed where the Gemfile does, or where Bundler does not run.
      def value
        @value ||= begin
          text, noise = @reading.map(&:value)
          Process.wait(@pid)
          @pid = nil
          accepted(text, noise)
        end
      end

      # Ends the child, whose answer nobody waits for any more.
      def cancel
        return unless @pid

        Process.kill(:TERM, @pid)
        Process.wait(@pid)
        @pid = nil
      rescue Errno::ESRCH, Errno::ECHILD
        @pid = nil
      end

      private

      def accepted(text, noise)
        facts = Facts.read(text.force_encoding(Encoding::UTF_8))
        raise EvaluationFailed.new(@location.gemfile, noise.lines(chomp: true).last(20)) unless facts&.bundler_version
        raise EvaluationFailed.new(@location.gemfile, facts.failure) if facts.failure.any? && !facts.plugins?

        Verdict.remember(@store, @key, Facts.without_secrets(text)) if @store && facts.rememberable?
        facts
      end

      # Gemfile, lockfile, and this command's flags as `name=value`.
      def arguments
        flags = @settings.levels[:flag].map { |key, value| "#{Settings::Key.exposed(key)}=#{value}" }
        [@location.gemfile, @location.lockfile, *flags]
      end

      def environment
        env = Environment.clean(@settings.env)
        named = !env["BUNDLE_GEMFILE"].to_s.empty? || !%w[Gemfile gems.rb].include?(File.basename(@location.gemfile))
        named ? env.merge("BUNDLE_GEMFILE" => @location.gemfile) : env
      end
    end
  end
end
