# frozen_string_literal: true

module Spate
  module CLI
    class Explain
      # `spate explain build GEM ...`
      class Build
        USAGE = "spate explain build GEM ...   stored builds of an extension; GEM or GEM-VERSION"
        # Of kinds that are no nouns, or have no plain plural.
        PLURALS = { "library" => "libraries", "looked" => "looked at", "listed" => "listed", "absent" => "absent",
                    "environment" => "variables", "processor" => "processor", "run" => "programs" }.freeze

        def initialize(operands, values:, terminal:, context:)
          @names = operands
          @values = values
          @terminal = terminal
          @context = context
        end

        def run
          raise UsageError.new("explain which gem's builds?", hint: "spate explain build nokogiri") if @names.empty?

          found = @names.map { |name| [name, explanation.of(name, all: @values[:verbose])] }
          found.each { |name, answers| answers.empty? ? tell_none(name) : answers.each { |answer| tell(answer) } }
          found.all? { |_, answers| answers.any? } ? 0 : NOTHING
        end

        private

        def json = @json ||= Ground::JsonLines.new(@terminal.out)

        def explanation
          @explanation ||= ::Spate::Build::Explanation.new(@context.store, root, @context.env)
        end

        # The bundle's folder here, or where one would look for it.
        def root
          @context.layout.root
        rescue ::Spate::Gemfile::NotFound
          Dir.pwd
        end

        def tell_none(name)
          near = Ground::Suggestion.near(name, explanation.names)
          @terminal.error("the store has no build of #{name} that others may use",
                          hint: ("did you mean #{near}?" if near))
        end

        def tell(answer)
          return json.call(event: :build_explained, **answer) if @values[:json]

          lines(answer).each { |line| @terminal.out.puts Ground::Terminal.plain(line) }
        end

        def lines(answer)
          state = answer[:change] ? "not used here: #{answer[:change]}" : "would be used here: nothing changed"
          ["#{answer[:gem]}  #{answer[:build]}", "  #{state}", "  stands on #{counts(answer[:inputs])}",
           *answer[:programs].map { |name, path| "  program #{name}: #{path.empty? ? "not on the PATH" : path}" },
           *answer.fetch(:all, []).map { |kind, path| "  #{kind} #{path}" }]
        end

        def counts(inputs)
          inputs.map { |kind, count| "#{count} #{PLURALS.fetch(kind.to_s) { "#{kind}s" }}" }.join(", ")
        end
      end
    end
  end
end
