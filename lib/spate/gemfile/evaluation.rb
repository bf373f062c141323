# frozen_string_literal: true

module Spate
  module Gemfile
    # Bundler's evaluation of a Gemfile in a child process, while its parent goes on with something else.
    class Evaluation
      def initialize(location, settings, store, key)
        @location = location
        @settings = settings
        @store = store
        @key = key
        flags = settings.levels[:flag].map { |name, value| "#{Settings::Key.exposed(name)}=#{value}" }
        @hearing = Hearing.new(location, Environment.clean(settings.env), :verdict, flags: flags)
        @thread = Thread.new { @hearing.call }
        @thread.report_on_exception = false
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
        facts = result.told && result.told[:verdict]
        words = facts ? facts.failure : result.printed.force_encoding("UTF-8").scrub.lines(chomp: true).last(20)
        raise EvaluationFailed.new(@location.gemfile, words) unless facts && (words.empty? || facts.plugins?)

        basis, facts.volatile = basis(result)
        Verdict.remember(@store, @key, basis, facts) if @store && facts.rememberable?
        facts
      end

      def basis(result)
        return [nil, [Hearing.deaf]] unless result.heard

        Basis.of(Policy.new(result, @location, :verdict), @location, @settings.env)
      end
    end
  end
end
