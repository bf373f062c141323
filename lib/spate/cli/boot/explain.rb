# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # `spate boot explain FEATURE ...`
      class Explain < Subcommand
        NOWHERE = 11
        SHOWN = 8

        OUTCOMES = {
          hit: "its compiled code is used", revalidated: "its compiled code is used",
          stale: "the compile cache's code is not used: Ruby compiles", warns: "left to Ruby: Ruby compiles",
          miss: "Ruby compiles", gone: "not found", library: "not in a compile cache", builtin: "part of Ruby itself"
        }.freeze

        def run
          if operands.empty?
            raise UsageError.new("missing feature", hint: "spate boot explain active_support/all ./config/routes.rb")
          end

          answers = ::Spate::CompileCache::Explain.new(location, env: context.env).call(operands)
          answers.each { |answer| json? ? json.call(event: :boot_explained, **answer) : print_answer(answer) }
          answers.any? { |answer| place(answer) == "nowhere" } ? NOWHERE : 0
        end

        private

        def print_answer(answer)
          terminal.out.puts Util::Terminal.plain("#{answer[:feature]}: #{place(answer)}")
          lines(answer).each { |label, text| terminal.out.puts Util::Terminal.plain("  #{label.ljust(10)} #{text}") }
        end

        def place(answer) = answer[:path] || (builtin?(answer) ? "Ruby" : "nowhere")
        def builtin?(answer) = answer[:outcome] == :builtin

        def lines(answer)
          return [["file", state(answer)]] if builtin?(answer)

          [["load path", load_path_cache(answer)], *candidates(answer), ["ruby", ruby(answer)],
           ["folders", folders(answer)], ["cache", cache(answer)], ["file", state(answer)]].select(&:last)
        end

        def load_path_cache(answer)
          found = answer[:load_path_cache] or return
          return "not used: #{found}" if found.is_a?(String)

          "#{found[:why]}#{" (loaded already)" if found[:loaded]}"
        end

        def candidates(answer)
          return [] unless answer[:load_path_cache].is_a?(Hash)

          all = answer[:load_path_cache][:candidates]
          shown = all.first(SHOWN).map { |one| ["candidate", "#{one[:path]}: #{one[:why]}"] }
          all.size > SHOWN ? shown << ["", "and #{all.size - SHOWN} more"] : shown
        end

        def ruby(answer)
          return "the same" if answer[:ruby] == answer[:path]

          return unless answer[:load_path_cache].is_a?(Hash)

          "#{answer[:ruby] || "nowhere"} (differs from the load-path cache: please report it)"
        end

        def folders(answer)
          before = answer[:folders][:before] or return
          "#{answer[:folders][:all]} in $LOAD_PATH, #{before} before it"
        end

        def cache(answer)
          found = answer[:compile_cache] or return
          "#{found[:role]}'s, #{found[:path]} (#{Units.bytes(found[:bytes])} of code)"
        end

        def state(answer) = [OUTCOMES.fetch(answer[:outcome]), answer[:why]].compact.join(": ")
      end
    end
  end
end
