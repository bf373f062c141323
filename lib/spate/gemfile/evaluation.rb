# frozen_string_literal: true

module Spate
  module Gemfile
    # Bundler's evaluation of a Gemfile in a child process, while its parent goes on with something else.
    class Evaluation
      PATIENCE = 1

      # known: location, settings, store (which may be nil).
      def initialize(known)
        @known = known
        location, settings = known.values_at(:location, :settings)
        flags = settings.levels[:flag].map { |name, value| "#{Settings::Key.exposed(name)}=#{value}" }
        @observation = Observation.new(location, Ground::Environment.clean(settings.env), :verdict, flags: flags)
        @thread = Thread.new { @observation.call }
        @thread.report_on_exception = false
      end

      # Facts. Raises EvaluationFailed where the Gemfile does, or where Bundler does not run.
      def value = @value ||= accepted(@thread.value)

      # Ends the child, whose answer nobody waits for any more.
      def cancel
        @observation.cancel
        # What the Gemfile has started may live on, and holds the child's output.
        @thread.join(PATIENCE) || @thread.kill
      rescue StandardError
        nil # nobody waits for that either
      end

      private

      def accepted(result)
        facts = result.told && result.told[:verdict]
        words = facts ? facts.failure : said(result)
        raise EvaluationFailed.new(@known[:location].gemfile, words) unless facts && (words.empty? || facts.plugins?)

        Verdict.keep(facts, (Policy.new(result, @known[:location], :verdict) if result.heard), **@known)
      end

      # Lines. Of a crash Ruby's first words say what, the last ones only where memory lay.
      def said(result)
        lines = result.printed.force_encoding("UTF-8").scrub.lines(chomp: true)
        return lines.last(20) unless result.signal

        ["Ruby was ended by SIG#{Signal.signame(result.signal)}, twice", *lines.first(5)]
      end
    end
  end
end
