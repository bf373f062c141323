# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Evaluates the Gemfile with Bundler and queries the team's cache at the same time. The first result is used.
      class Inquiry
        # Returns an Inquiry, or a plain Gemfile::Evaluation if no team cache is configured. known: location, settings,
        # store.
        def self.start(context, known)
          evaluation = Gemfile::Check.start(**known, read_only: context.options.background)
          return evaluation if context.options.local || !RemoteCache.set?(context.settings)

          new(evaluation) do
            client = context.sources.team or next
            checks = context.team_checks
            found = client.document(checks.key, RemoteCache::GemfileChecks::KIND)
            answer = found && checks.choose(found)
            answer.is_a?(Array) ? client.count_miss(answer) : answer&.tap { client.count(:checks) }
          end
        end

        # The block queries the cache. It returns the same kind of value as Evaluation#value, or nil.
        def initialize(evaluation, &other)
          @evaluation = evaluation
          @answers = Thread::Queue.new
          # A thread that fails adds no result.
          @threads = [Util.quiet_thread { other.call&.then { |facts| @answers << facts } },
                      Util.quiet_thread { @evaluation.wait.then { @answers << nil } }]
        end

        # See Evaluation.
        def value
          @value ||= begin
            facts = @answers.pop
            @evaluation.cancel if facts
            facts || @evaluation.value
          end
        end

        def cancel
          @threads.each(&:kill)
          @evaluation.cancel
        end
      end
    end
  end
end
