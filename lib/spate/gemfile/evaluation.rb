# frozen_string_literal: true

module Spate
  module Gemfile
    # Bundler's evaluation of a Gemfile in a child process, in parallel with the parent's other work.
    class Evaluation
      PATIENCE = 1

      # known: location, settings, store (which may be nil).
      def initialize(known, read_only: false)
        @known = known
        location, settings = known.values_at(:location, :settings)
        flags = settings.levels[:flag].map { |name, value| "#{Settings::Key.exposed(name)}=#{value}" }
        environment = Util::Environment.clean(settings.env)
        @observation = Observation.new(location, environment, :check, flags: flags, read_only: read_only)
        @thread = Thread.new { @observation.call }
        @thread.report_on_exception = false
      end

      # Waits until Bundler has answered or failed, or the run was cancelled.
      def wait
        @thread.join
      rescue StandardError
        nil # raised again by `value`
      end

      # Facts. Raises EvaluationFailed if the Gemfile raises, or Bundler does not run.
      def value = @value ||= accepted(@thread.value)

      # Ends the child because its answer is no longer needed.
      def cancel
        @observation.cancel
        # Processes that the Gemfile started may survive and hold the child's output open.
        @thread.join(PATIENCE) || @thread.kill
      rescue StandardError
        nil # irrelevant as well
      end

      private

      def accepted(result)
        facts = result.told && result.told[:check]
        words = facts ? facts.failure : said(result)
        raise EvaluationFailed.new(@known[:location].gemfile, words) unless facts && (words.empty? || facts.plugins?)

        Check.keep(facts, (Policy.new(result, @known[:location], :check) if result.trace), **@known)
      end

      # Lines. The first lines of a crash report describe the crash; the last ones only list memory.
      def said(result)
        lines = result.printed.force_encoding("UTF-8").scrub.lines(chomp: true)
        return lines.last(20) unless result.signal

        ["Ruby was killed by SIG#{Signal.signame(result.signal)}, twice", *lines.first(5)]
      end
    end
  end
end
