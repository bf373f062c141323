# frozen_string_literal: true

module Spate
  module Gemfile
    # Evaluates a Gemfile with Bundler in a child process, in parallel with other work of this process.
    class Evaluation
      PATIENCE = 1

      # known: {location:, settings:, store:}. The store may be nil.
      def initialize(known, read_only: false)
        @known = known
        location, settings = known.values_at(:location, :settings)
        flags = settings.levels[:flag].map { |name, value| "#{Settings::Key.display_name(name)}=#{value}" }
        environment = Util::Environment.clean(settings.env)
        @observation = Observation.new(location, environment, :check, flags: flags, read_only: read_only)
        @thread = Thread.new { @observation.call }
        @thread.report_on_exception = false
      end

      # Waits until Bundler has finished or failed, or the evaluation was cancelled.
      def wait
        @thread.join
      rescue StandardError
        nil # raised again by `value`
      end

      # Returns the Facts. Raises EvaluationFailed if the Gemfile raises or Bundler cannot run.
      def value = @value ||= accepted(@thread.value)

      # Kills the child because its result is no longer needed.
      def cancel
        @observation.cancel
        # Processes that the Gemfile has started may still be running with the child's output open.
        @thread.join(PATIENCE) || @thread.kill
      rescue StandardError
        nil # errors of a cancelled evaluation are ignored
      end

      private

      def accepted(result)
        facts = result.report && result.report[:check]
        words = facts ? facts.failure : output_lines(result)
        raise EvaluationFailed.new(@known[:location].gemfile, words) unless facts && (words.empty? || facts.plugins?)

        Check.keep(facts, (Policy.new(result, @known[:location], :check) if result.trace), **@known)
      end

      # The child's output (lines) for the error message. If the child crashed, the first lines describe the crash, and
      # the last ones only list memory maps.
      def output_lines(result)
        lines = result.printed.force_encoding("UTF-8").scrub.lines(chomp: true)
        return lines.last(20) unless result.signal

        ["Ruby was killed by SIG#{Signal.signame(result.signal)}, twice", *lines.first(5)]
      end
    end
  end
end
