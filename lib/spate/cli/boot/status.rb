# frozen_string_literal: true

module Spate
  module CLI
    class Boot
      # Prints the compile caches of the application, what is stale, and the boot time that they save.
      class Status < Subcommand
        def run
          no_operands!
          json? ? json.call(event: :boot_status, **facts) : print
          0
        end

        private

        def print
          return terminal.out.puts(TEMPORARY) if context.temporary?

          StatusReport.new(terminal).print(facts)
        end

        def facts
          found = ::Spate::CompileCache::Status.new(location, caches: caches, env: context.env).to_h
          return found unless context.temporary?

          found.merge(refusal: TEMPORARY, writable: false, switches: found[:switches].except("SPATE_BOOT"))
        end
      end

      # Prints Spate::CompileCache::Status.
      class StatusReport
        SHOWN = 5
        STATES = { hit: "as recorded", revalidated: "with a new mtime (compared by content)",
                   stale: "changed", warns: "left to Ruby", gone: "gone" }.freeze

        UNKNOWN = "time without compile caches unknown (measure it: spate boot profile --compare plain -- COMMAND)"

        def initialize(terminal)
          @terminal = terminal
        end

        # facts: Status#to_h
        def print(facts)
          place(facts)
          row "cache", file(facts[:compile_cache])
          row "", "built for another Gemfile, lockfile or configuration" if facts[:compile_cache][:current] == false
          row "own files", file(facts[:overlay])
          row "gems", gems(facts[:gems]) if facts[:gems][:named].positive?
          row "load path", load_path_cache(facts[:load_path_cache])
          row "replay", facts[:replay] == true ? "replaces Bundler.setup" : "not used: #{facts[:replay]}"
          differing(facts)
          gains(facts)
          other_parts(facts)
          hints(facts)
        end

        private

        def row(label, text) = @terminal.out.puts(Util::Terminal.plain("#{label.ljust(10)} #{text}".rstrip))
        def bytes(count) = Units.bytes(count)

        def place(facts)
          row "for", facts[:ruby]
          row "boots", facts[:gemfile] || "#{facts[:root]}, without a Gemfile"
          row "folder", facts[:folder]
          row "", "not used: #{facts[:refusal]}" if facts[:refusal]
          row "", "read-only: nothing is added" if !facts[:writable] && !facts[:refusal]
        end

        def file(facts)
          return "none yet" if facts[:reason] == :missing
          return "not used: #{facts[:reason]}" if facts[:reason]

          states = STATES.filter_map { |state, words| "#{facts[state]} #{words}" if facts[state].positive? }
          states << "#{facts[:damaged]} damaged" if facts[:damaged].positive?
          files = facts[:files].zero? ? "no recorded files yet" : Units.count(facts[:files], "file")
          "#{files}, #{bytes(facts[:bytes])}, built #{day(facts[:made])}" \
            "#{": #{states.join(", ")}" if states.any?}"
        end

        def day(seconds) = Time.at(seconds).strftime("%Y-%m-%d %H:%M")

        def gems(facts)
          missing = facts[:missing]
          text = "#{Units.count(facts[:named], "compile cache")}, #{bytes(facts[:bytes])}"
          missing.any? ? "#{text}; gone: #{missing.first(SHOWN).join(", ")}" : text
        end

        def load_path_cache(facts)
          return "none yet" unless facts

          "#{Units.count(facts[:features], "feature")} in #{Units.count(facts[:roots], "folder")} of the load path"
        end

        def differing(facts)
          all = facts[:compile_cache].fetch(:differing, []) + facts[:overlay].fetch(:differing, [])
          all.first(SHOWN).each { |one| row "differs", "#{one[:path]}: #{one[:reason]}" }
          row "", "and #{all.size - SHOWN} more" if all.size > SHOWN
        end

        def gains(facts)
          facts[:gains].each { |gain| row "boot", "#{gain[:kind]}: #{times(gain)}" }
        end

        def times(gain)
          with = gain[:wall] && "#{seconds(gain[:wall], gain[:cpu])} (median of #{gain[:boots]})"
          without = "#{seconds(gain[:without_wall], gain[:without_cpu])} without compile caches" if gain[:without_wall]
          partly = seconds(gain[:last_wall], gain[:last_cpu]) unless with || without
          partly &&= "#{partly} partly from compile caches (the last)"
          [partly, with, without || UNKNOWN, saved(gain)].compact.join("; ")
        end

        def seconds(wall, cpu) = "#{Units.seconds(wall)}, processor #{Units.seconds(cpu)}"

        def saved(gain)
          return unless gain[:wall] && gain[:without_wall]

          "saved #{Units.seconds([gain[:without_wall] - gain[:wall], 0].max)}"
        end

        def other_parts(facts)
          facts[:aside].each { |one| row "aside", "#{one[:who]}: #{one[:why]}" }
          facts[:switches].each { |name, value| row "switch", "#{name}=#{value}" }
          builder(facts[:builder])
          facts[:shares].each { |share| row "room", share(share) }
        end

        def builder(facts)
          row "builder", "running" if facts[:working]
          row "builder", "does not start automatically: #{facts[:forbidden]}" if facts[:forbidden]
          failed_builder(facts) if facts[:attempts].to_i.positive? && !facts[:working]
        end

        def failed_builder(facts)
          wait = ", none for #{Units.seconds(facts[:wait])}" unless facts[:forbidden] || facts[:wait].zero?
          starts = Units.count(facts[:attempts], "start")
          row "builder", "#{starts} failed#{wait}; #{facts[:log]}: #{facts[:last].last}"
        end

        def share(share)
          return "Spate's own code: #{bytes(share[:bytes])}" if share[:ruby_key] == "own"

          whose = share[:this_ruby] ? "this Ruby" : "another Ruby or other options (#{share[:ruby_key][0, 8]})"
          "#{whose}: #{bytes(share[:bytes])}, #{Units.count(share[:applications], "application")}, " \
            "#{Units.count(share[:gems], "gem")}"
        end

        # Does not suggest a boot if compile caches are turned off or cannot be written, because a boot would not help.
        def hints(facts)
          cache = facts[:compile_cache]
          return if facts[:switches]["SPATE_BOOT"] == "0"

          if !facts[:writable] && !facts[:refusal]
            @terminal.hint("unset SPATE_READONLY, or set SPATE_HOME=DIR to a store of your own") unless cache[:current]
          elsif cache[:reason] == :missing && facts[:gemfile].nil?
            @terminal.hint("`spate boot build FOLDER` builds them; a program with `require \"spate/boot\"` does so " \
                           "in the background, and `spate exec` needs a Gemfile")
          elsif cache[:reason] == :missing
            @terminal.hint("`spate boot build` builds them now; the first `spate exec` does so in the background")
          elsif cache[:current] == false || cache[:stale].to_i.positive? || cache[:damaged].to_i.positive?
            @terminal.hint("the next boots update it; `spate boot build` does so now")
          end
        end
      end
    end
  end
end
