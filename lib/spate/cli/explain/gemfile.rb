# frozen_string_literal: true

module Spate
  module CLI
    class Explain < Command
      # `spate explain gemfile`
      class Gemfile
        USAGE = "spate explain gemfile         stored results of Bundler about the lockfile and Bundler.setup"
        WORDS = { file: "read", looked: "looked at", listed: "listed", absent: "absent", environment: "variables",
                  link: "links", library: "libraries", run: "programs", pattern: "patterns" }.freeze

        def initialize(operands, values:, terminal:, context:)
          @operands = operands
          @values = values
          @terminal = terminal
          @context = context
        end

        def run
          raise UsageError.new("explain gemfile takes no operands", hint: "spate explain gemfile") if @operands.any?

          answers = explanations.flat_map { |one| one.to_a(all: @values[:verbose]) }
          answers.each { |answer| tell(answer) }
          return 0 if answers.any?

          obstacle = ::Spate::Gemfile::Observation.obstacle
          @terminal.tell(["nothing is stored for #{@context.location.gemfile}", *obstacle].join(": "))
          @terminal.hint("`spate install` stores Bundler's result") unless obstacle || @terminal.quiet?
          NOTHING
        end

        private

        def json = @json ||= Util::JsonLines.new(@terminal.out)

        def explanations
          trust = RemoteCache::Trust.from(@context.settings)
          [::Spate::Gemfile::Explanation.new(@context.location, @context.settings, @context.store, @context.env,
                                             trusts: ->(signer, made) { trust.doubt(signer, made).nil? }),
           ::Spate::Images::ReplayExplanation.new(@context.location, @context.env)]
        end

        def tell(answer)
          return json.call(event: :gemfile_explained, **answer) if @values[:json]

          lines(answer).each { |line| @terminal.out.puts Util::Terminal.plain(line) }
        end

        def lines(answer)
          return ["#{answer[:answer]}  none: #{answer[:refused]}"] if answer[:refused]

          state = answer[:change] ? "not used here: #{answer[:change]}" : "would be used here: nothing changed"
          counts = answer[:inputs].map { |kind, count| "#{count} #{WORDS.fetch(kind)}" }.join(", ")
          ["#{answer[:answer]}  #{state}", "  depends on #{counts}",
           *answer.fetch(:all, []).map { |kind, text| "  #{WORDS.fetch(kind)}  #{text}" }]
        end
      end
    end
  end
end
