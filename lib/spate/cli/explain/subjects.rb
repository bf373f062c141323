# frozen_string_literal: true

module Spate
  module CLI
    class Explain
      # Base class of the subjects, which print explanations of stored results.
      class Subject < Command::Subcommand
        private

        # answer: the facts about one result (Hash), formatted by the subject's `lines`.
        def print_answer(answer)
          return json.call(event: :"#{name}_explained", **answer) if json?

          lines(answer).each { |line| terminal.out.puts Util::Terminal.plain(line) }
        end

        def state(answer)
          answer[:change] ? "not used here: #{answer[:change]}" : "would be used here: nothing changed"
        end
      end

      # The stored builds of gems: their inputs, and which build would be used here.
      class Build < Subject
        USAGE = "spate explain build GEM ...   stored builds of an extension; GEM or GEM-VERSION"
        # Names of kinds of inputs whose plural is not formed by "s".
        PLURALS = { "library" => "libraries", "looked" => "looked at", "listed" => "listed", "absent" => "absent",
                    "environment" => "variables", "processor" => "processor", "run" => "programs" }.freeze

        NO_BUNDLE = "no Gemfile found here: run the command in the application's folder"
        private_constant :NO_BUNDLE

        def run
          raise UsageError.new("missing gem name", hint: "spate explain build GEM") if operands.empty?

          found = operands.map { |name| [name, explanation.of(name, all: values[:verbose])] }
          found.each do |name, answers|
            answers.empty? ? print_missing(name) : answers.each { |answer| print_answer(answer) }
          end
          found.all? { |_, answers| answers.any? } ? 0 : NOTHING
        end

        private

        def explanation
          @explanation ||= ::Spate::Build::Explanation.new(context.store, root, context.env)
        end

        # The bundle's folder, or the current directory.
        def root
          context.layout.root
        rescue ::Spate::Gemfile::NotFound
          Dir.pwd
        end

        # Reports that no build of the gem is stored.
        def print_missing(name)
          spec = locked.find { |one| [one.name, one.full_name].include?(name) }
          return terminal.error("no build of #{name} is stored: #{reason(spec)}") if spec

          return terminal.error("no build of #{name} is stored", hint: NO_BUNDLE) unless context.bundle?

          near = Util::Suggestion.near(name, [*explanation.names, *locked.map(&:name)].uniq)
          terminal.error("no build of #{name} is stored, and it is not in the bundle",
                         hint: near ? "did you mean #{near}?" : "`spate list` shows the bundle's gems")
        end

        def reason(spec)
          gemspec = "#{context.layout.specifications}/#{spec.full_name}.gemspec"
          return "it is not installed here, or not from a gem server" unless File.file?(gemspec)
          return "the gem has no extension" unless File.read(gemspec, encoding: "UTF-8").match?(/^\s*s\.extensions = /)

          "its extension was built for this bundle only, or by another tool"
        end

        def locked
          @locked ||= context.lockfile.specs
        rescue Error
          @locked = [] # no bundle here
        end

        def lines(answer)
          ["#{answer[:gem]}  #{answer[:build]}", "  #{state(answer)}", "  depends on #{counts(answer[:inputs])}",
           *answer[:programs].map { |name, path| "  program #{name}: #{path.empty? ? "not on the PATH" : path}" },
           *answer.fetch(:all, []).map { |kind, path| "  #{kind} #{path}" }]
        end

        def counts(inputs)
          inputs.map { |kind, count| "#{count} #{PLURALS.fetch(kind.to_s) { "#{kind}s" }}" }.join(", ")
        end
      end

      # Bundler's stored results for this Gemfile: their inputs, and whether they are valid.
      class Gemfile < Subject
        USAGE = "spate explain gemfile         stored results of Bundler about the lockfile and Bundler.setup"
        WORDS = { file: "read", looked: "looked at", listed: "listed", absent: "absent", environment: "variables",
                  link: "links", library: "libraries", run: "programs", pattern: "patterns" }.freeze

        def run
          raise UsageError.new("explain gemfile takes no operands", hint: "spate explain gemfile") if operands.any?

          answers = explanations.flat_map { |one| one.to_a(all: values[:verbose]) }
          answers.each { |answer| print_answer(answer) }
          return 0 if answers.any?

          obstacle = ::Spate::Gemfile::Observation.obstacle
          terminal.info(["nothing is stored for #{context.location.gemfile}", *obstacle].join(": "))
          terminal.hint("`spate install` stores Bundler's result") unless obstacle || terminal.quiet?
          NOTHING
        end

        private

        def explanations
          trust = RemoteCache::Trust.from(context.settings)
          [::Spate::Gemfile::Explanation.new(context.location, context.settings, context.store, context.env,
                                             trusts: ->(signer, made) { trust.doubt(signer, made).nil? }),
           ::Spate::CompileCache::ReplayExplanation.new(context.location, context.env)]
        end

        def lines(answer)
          return ["#{answer[:answer]}  none: #{answer[:refused]}"] if answer[:refused]

          counts = answer[:inputs].map { |kind, count| "#{count} #{WORDS.fetch(kind)}" }.join(", ")
          ["#{answer[:answer]}  #{state(answer)}", "  depends on #{counts}",
           *answer.fetch(:all, []).map { |kind, text| "  #{WORDS.fetch(kind)}  #{text}" }]
        end
      end
    end
  end
end
