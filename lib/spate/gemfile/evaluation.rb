# frozen_string_literal: true

module Spate
  module Gemfile
    # Bundler's evaluation of a Gemfile in a child process, while its parent goes on with something else.
    class Evaluation
      MARK = "SPATE_HEARD_VERDICT"

      def initialize(location, settings, store, key)
        @location = location
        @settings = settings
        @store = store
        @key = key
        flags = settings.levels[:flag].map { |name, value| "#{Settings::Key.exposed(name)}=#{value}" }
        @hearing = Hearing.new(location, Environment.clean(settings.env), :verdict, flags: flags)
      end

      def start
        @thread = Thread.new { @hearing.call }
        @thread.report_on_exception = false
        self
      end

      # Facts. Raises EvaluationFailed where the Gemfile does, or where Bundler does not run.
      def value
        @value ||= accepted(@thread.value)
      end

      # Ends the child, whose answer nobody waits for any more.
      def cancel
        @hearing.cancel
        @thread.join
      end

      private

      def accepted(result)
        text = result.told && result.told[:verdict].dup.force_encoding(Encoding::UTF_8)
        facts = text && Facts.read(text)
        words = result.printed.dup.force_encoding(Encoding::UTF_8).scrub.lines(chomp: true).last(20)
        raise EvaluationFailed.new(@location.gemfile, words) unless facts&.bundler_version
        raise EvaluationFailed.new(@location.gemfile, facts.failure) if facts.failure.any? && !facts.plugins?

        facts.tap { keep(facts, text, result) }
      end

      def keep(facts, text, result)
        basis, facts.volatile = Settled.basis(result, @location, @settings.env, MARK)
        Verdict.remember(@store, @key, basis, Facts.without_secrets(text)) if @store && facts.rememberable?
      end
    end
  end
end
